/**
 * Computes positions above the frames, in the file and in the browser for another window width.
 */
export const HEAD = {
  marginPx: 14,
  titlePx: 30,
  titleSizePx: 19,
  subtitlePx: 51,
  qualityPx: 68,
  warningsPx: 78,
  warningRowPx: 24,
  rowPx: 17,
  noteBasePx: 11,
  textSizePx: 12,
  characterPx: 6.8,
  legendRowPx: 19,
  swatchPx: 13,
  legendGapPx: 16,
  toolbarPx: 540,
  toolbarRowPx: 36,
  belowPx: 10,
} as const;

/** Below this width, the toolbar has a row of its own. */
export const NARROW_PX = 960;
/** Below this width, the toolbar has two rows. */
export const NARROWEST_PX = 520;

/** Space left and right of the text of a warning. */
export const WARNING_PADDING_PX = 8;

export interface LegendPosition {
  readonly xPx: number;
  readonly row: number;
}

/** Estimates the width of text at 12 px in the widest of the sans fonts; a browser measures it instead. */
export function sansWidthPx(text: string): number {
  const widths = Array.from(text, (letter) =>
    /[ijlftr[\](){}:;,.'! |-]/.test(letter) ? 4.6 : /[mwMW%⚠]/.test(letter) ? 11 : 7.3,
  );
  return Math.ceil(widths.reduce((sum, widthPx) => sum + widthPx, 0));
}

/** Places items side by side, in as many rows as needed. */
export function flow(widthsPx: readonly number[], availablePx: number): LegendPosition[] {
  let xPx = 0;
  let row = 0;
  return widthsPx.map((widthPx) => {
    if (xPx > 0 && xPx + widthPx > availablePx) {
      xPx = 0;
      row++;
    }
    const position = { xPx, row };
    xPx += widthPx + HEAD.legendGapPx;
    return position;
  });
}

/** Number of rows above the legend. */
export interface Rows {
  readonly warnings: number;
  /** Lines of notes. */
  readonly notes: number;
}

export function notesTopPx(warnings: number): number {
  return HEAD.warningsPx + warnings * HEAD.warningRowPx + 4;
}

export function legendTopPx({ warnings, notes }: Rows): number {
  return notesTopPx(warnings) + notes * HEAD.rowPx + (notes > 0 ? 4 : 0);
}

/** Returns the width of the toolbar next to the title; 0 if it has a row of its own. */
export function toolbarWidthPx(widthPx: number): number {
  return widthPx < NARROW_PX ? 0 : HEAD.toolbarPx;
}

/** Returns the line height of a text. */
export function linePx(sizePx: number): number {
  return Math.ceil((HEAD.rowPx * sizePx) / HEAD.textSizePx);
}

/** Wraps a text at words; a word longer than a line is split. */
export function wrapped(text: string, availablePx: number, sizePx: number = HEAD.textSizePx): readonly string[] {
  const more = Math.floor((availablePx * HEAD.textSizePx) / (HEAD.characterPx * sizePx)) - 1;
  return text.match(new RegExp(`\\S.{0,${more}}(?= |$)|\\S.{0,${more}}`, 'gu')) ?? [];
}

export function headHeightPx(above: Rows, legend: readonly LegendPosition[], hasToolbarRow: boolean): number {
  const rows = (legend.at(-1)?.row ?? -1) + 1;
  const toolbarPx = hasToolbarRow ? HEAD.toolbarRowPx : 0;
  return legendTopPx(above) + rows * HEAD.legendRowPx + toolbarPx + HEAD.belowPx;
}
