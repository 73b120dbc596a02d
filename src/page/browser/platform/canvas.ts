/**
 * Switches between the light and the dark theme; the default is that of the system. Tells canvases when colours change.
 */
import type { Bounds } from '../../../model/units.js';
import { CHARACTER_PX, TEXTURE_OPACITY, TILE_PX } from '../../../render/frames/drawing.js';
import type { Token } from '../../../render/frames/palette.js';
import { htmlElement as html } from '../../../render/viewer/dom.js';
import { ticksOf } from '../../view/captions/time.js';
import type { Theme } from '../../view/state.js';
import { lifetime } from './lifetime.js';
import { prefer, preference } from './preferences.js';

/** Restores the theme chosen on an earlier visit. */
export function restoreTheme(): void {
  const chosen = preference('theme');
  if (chosen) document.documentElement.dataset['theme'] = chosen;
}

export function themeIsDark(): boolean {
  const { theme } = document.documentElement.dataset;
  return theme ? theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
}

/** Returns the other theme, in which the next visit begins. */
export function otherTheme(): Theme {
  const theme = themeIsDark() ? 'light' : 'dark';
  prefer('theme', theme);
  return theme;
}

export function switchTheme(): void {
  showTheme(otherTheme());
}

export function showTheme(theme: Theme): void {
  const { dataset } = document.documentElement;
  if (theme !== 'system' && dataset['theme'] !== theme) dataset['theme'] = theme;
}

/** Calls back when the theme changes, and before and after the page is printed, which is in light colours. */
function onThemeChange(changed: () => void): void {
  const signal = lifetime();
  const print = ({ matches }: MediaQueryListEvent) => {
    changed();
    if (matches) keepForPrint(document.querySelectorAll('canvas'));
  };
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', changed, { signal });
  matchMedia('print').addEventListener('change', print, { signal });
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  signal.addEventListener('abort', () => observer.disconnect());
}

/** Draws arrows on canvases; a halo lifts them off whatever is below. */
export interface Point {
  readonly xPx: number;
  readonly yPx: number;
}

const HEAD_PX = 6;
const LINE_PX = 1.5;
const HALO_PX = 1;

/** `isMaybe`: dashed. */
export function paintArrow(
  pen: CanvasRenderingContext2D,
  from: Point,
  to: Point,
  colours: CanvasColours,
  isMaybe: boolean,
): void {
  const line = new Path2D();
  line.moveTo(from.xPx, from.yPx);
  line.lineTo(to.xPx, to.yPx);
  const head = headOf(from, to);
  pen.lineJoin = 'round';
  pen.strokeStyle = colours.of('bg');
  pen.lineWidth = LINE_PX + 2 * HALO_PX;
  pen.stroke(line);
  pen.lineWidth = 2 * HALO_PX;
  pen.stroke(head);
  pen.strokeStyle = pen.fillStyle = colours.of('ink');
  pen.lineWidth = LINE_PX;
  if (isMaybe) pen.setLineDash([4, 3]);
  pen.stroke(line);
  pen.setLineDash([]);
  pen.fill(head);
}

function headOf(from: Point, to: Point): Path2D {
  const angle = Math.atan2(to.yPx - from.yPx, to.xPx - from.xPx);
  const corner = (side: number): [number, number] => [
    to.xPx - HEAD_PX * Math.cos(angle + side),
    to.yPx - HEAD_PX * Math.sin(angle + side),
  ];
  const head = new Path2D();
  head.moveTo(to.xPx, to.yPx);
  head.lineTo(...corner(0.5));
  head.lineTo(...corner(-0.5));
  head.closePath();
  return head;
}

/** Returns how far a point is from the line between two others. */
export function distancePx({ xPx, yPx }: Point, from: Point, to: Point): number {
  const [dxPx, dyPx] = [to.xPx - from.xPx, to.yPx - from.yPx];
  const part = ((xPx - from.xPx) * dxPx + (yPx - from.yPx) * dyPx) / (dxPx * dxPx + dyPx * dyPx || 1);
  const nearest = Math.min(1, Math.max(0, part));
  return Math.hypot(xPx - from.xPx - nearest * dxPx, yPx - from.yPx - nearest * dyPx);
}

const DISTANCE_PX = 90;
const MARK_PX = 5;

/**
 * Draws the times along a time axis.
 *
 * `leftPx`: where the window begins.
 */
export function paintTicks(
  canvas: HTMLCanvasElement,
  colours: CanvasColours,
  window: Bounds,
  { leftPx, widthPx, heightPx }: { readonly leftPx: number; readonly widthPx: number; readonly heightPx: number },
): void {
  const pen = emptied(canvas, leftPx + widthPx, heightPx);
  const pxPerNs = widthPx / (window.endNs - window.startNs);
  pen.font = `11px ${getComputedStyle(canvas).fontFamily}`;
  pen.fillStyle = colours.of('ink3');
  for (const { ns, text } of ticksOf(window, DISTANCE_PX / pxPerNs)) {
    const xPx = leftPx + (ns - window.startNs) * pxPerNs;
    pen.fillRect(xPx, heightPx - MARK_PX, 1, MARK_PX);
    const lastPx = leftPx + widthPx - pen.measureText(text).width;
    pen.fillText(text, Math.min(xPx + 3, lastPx), heightPx - MARK_PX - 1);
  }
}

/**
 * Canvases in the colours of the theme, as sharp as the screen.
 *
 * Colours of the theme, as canvases need them.
 */
export class CanvasColours {
  private readonly probe = html('span', { hidden: '' });
  /** By CSS variable. */
  private readonly known = new Map<string, string>();

  /** `changed`: all colours are others. */
  constructor(parent: HTMLElement, changed: () => void) {
    parent.append(this.probe);
    onThemeChange(() => {
      this.known.clear();
      changed();
    });
  }

  of(variable: string): string {
    let colour = this.known.get(variable);
    if (colour === undefined) {
      this.probe.style.color = `var(--${variable})`;
      this.known.set(variable, (colour = getComputedStyle(this.probe).color));
    }
    return colour;
  }
}

/** Returns the pen of an empty canvas, in CSS pixels. A canvas that keeps its size keeps its memory. */
export function emptied(canvas: HTMLCanvasElement, widthPx: number, heightPx: number): CanvasRenderingContext2D {
  const ratio = pixelRatio();
  const [width, height] = [Math.round(widthPx * ratio), Math.round(heightPx * ratio)];
  const pen = canvas.getContext('2d') as CanvasRenderingContext2D;
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
    canvas.style.width = `${widthPx}px`;
    canvas.style.height = `${heightPx}px`;
  }
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, widthPx + 1, heightPx + 1);
  return pen;
}

/** How many pixels of a canvas are a CSS pixel: paper is finer than most screens. */
export function pixelRatio(): number {
  return matchMedia('print').matches ? Math.max(PRINTED_RATIO, devicePixelRatio) : devicePixelRatio;
}

const PRINTED_RATIO = 3;

/**
 * Makes canvases that were drawn for printing be printed as pictures. Chromium would print the strokes instead, and nothing
 * if there are too many.
 */
function keepForPrint(canvases: Iterable<HTMLCanvasElement>): void {
  for (const canvas of canvases) {
    if (canvas.width === 0 || canvas.height === 0) continue;
    const pen = canvas.getContext('2d') as CanvasRenderingContext2D;
    pen.save();
    pen.resetTransform();
    pen.globalCompositeOperation = 'copy';
    pen.drawImage(canvas, 0, 0);
    pen.restore();
  }
}

/** Returns lines as a pattern, on a colour or on nothing. `lines`: a path on a tile of `TILE_PX`. */
export function tiled(
  pen: CanvasRenderingContext2D,
  colours: CanvasColours,
  lines: string,
  below: Token | null = null,
): CanvasPattern {
  const ratio = pixelRatio();
  const tile = html('canvas', { width: TILE_PX * ratio, height: TILE_PX * ratio });
  const own = tile.getContext('2d') as CanvasRenderingContext2D;
  own.scale(ratio, ratio);
  if (below !== null) {
    own.fillStyle = colours.of(below);
    own.fillRect(0, 0, TILE_PX, TILE_PX);
  }
  own.globalAlpha = TEXTURE_OPACITY;
  own.strokeStyle = colours.of('ink');
  own.stroke(new Path2D(lines));
  const pattern = pen.createPattern(tile, 'repeat') as CanvasPattern;
  pattern.setTransform(new DOMMatrix().scale(1 / ratio));
  return pattern;
}

const SAMPLE = 'x'.repeat(100);

/** Measures the width of a character and of a scrollbar in the browser. */
export function measureCharacterPx(): number {
  const probe = html('span', { class: 'd3-flame-graph-label probe' }, SAMPLE);
  document.body.append(probe);
  const px = probe.getBoundingClientRect().width / SAMPLE.length;
  probe.remove();
  return px > 0 ? px : CHARACTER_PX;
}

/** Sets the CSS variable `--scrollbar` to the width that a graph reserves for its scrollbar. */
export function measureScrollbar(): void {
  const probe = html('div', { class: 'graph probe' });
  document.body.append(probe);
  const widthPx = probe.offsetWidth - probe.clientWidth;
  probe.remove();
  document.documentElement.style.setProperty('--scrollbar', `${widthPx}px`);
}
