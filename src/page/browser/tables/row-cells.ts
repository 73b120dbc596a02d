/**
 * The cells of functions and call paths: numbers, a share with its bar, and a name with its colour and library.
 */
import { shortFileName } from '../../../model/symbol-table.js';
import type { SymbolId } from '../../../model/units.js';
import { fitLabel, textWidth } from '../../../render/frames/labels.js';
import { htmlElement as html, swatch } from '../../../render/viewer/dom.js';
import { visibleText } from '../../../render/visible-text.js';
import type { NumberColumn } from '../../view/table-columns.js';
import type { FunctionRow } from '../../view/view.js';
import type { Views } from '../../view/views.js';
import type { TableColumn } from './virtual-table.js';

/** In narrow tables, bars are shorter by this. */
const BAR_GIVES_PX = 20;

export function cellColumn(column: NumberColumn, totalWeight: number): TableColumn<FunctionRow> {
  const { key, widthPx, text, explain = () => '', running = () => 0, toneOf = () => '' } = column;
  return {
    ...column,
    widthPx: [key === 'share' ? widthPx - BAR_GIVES_PX : widthPx, widthPx],
    cell: (row) => {
      if (key === 'share')
        return shareCell(row.weight / Math.max(1, totalWeight), running(row), text(row), explain(row));
      const [explained, tone] = [explain(row), toneOf(row)];
      if (explained === '' && tone === '') return text(row);
      return html('span', { ...(explained && { title: explained }), ...(tone && { class: tone }) }, text(row));
    },
  };
}

/** A bar as long as the share; its first part was running. */
function shareCell(share: number, running: number, text: string, title: string): HTMLElement {
  const percent = Math.min(100, 100 * share);
  const bar = html('span', { class: 'share-bar', '--share': `${percent}%`, '--run': `${percent * running}%` });
  return html('span', { class: 'share', ...(title && { title }) }, bar, text);
}

/** Of the swatch, with its margin, and between name and library. */
const SWATCH_PX = 15;
const LIBRARY_GAP_PX = 12;
/** How much wider characters of wide proportional fonts are than those of frames. */
const SANS_SHARE = 1.15;

/** Returns a name that fits; its library follows if there is room. `colour`: CSS class of its swatch. */
export function nameCell(
  views: Views,
  symbol: SymbolId,
  { colour, availablePx, characterPx }: { readonly colour: string; availablePx: number; characterPx: number },
): (Node | string)[] {
  const name = views.names[symbol] as string;
  const file = visibleText(views.fileOf(symbol));
  const library = file === '' ? views.nameSuffix(symbol) : shortFileName(file);
  const line = views.lineOf(symbol);
  const title = [name, file, line && `${visibleText(line.file)}:${line.line}`].filter(Boolean).join('\n');
  const leftPx = (availablePx - SWATCH_PX) / SANS_SHARE;
  const text = fitLabel({ name, numbers: [] }, Math.floor(leftPx / characterPx)) || '…';
  const hasRoom = (textWidth(text) + textWidth(library)) * characterPx + LIBRARY_GAP_PX <= leftPx;
  return [
    swatch('swatch', colour),
    html('bdi', { title }, text),
    ...(library === '' || !hasRoom ? [] : [' ', html('span', { class: 'library' }, library)]),
  ];
}
