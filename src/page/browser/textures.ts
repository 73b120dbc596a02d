/**
 * Fills for what threads do: a colour and a texture, so that they can be told apart without colours, too.
 */
import { Activity } from '../../model/profile/timeline.js';
import { htmlElement as html } from '../../render/viewer/dom.js';
import { ACTIVITY_NAMES, UNOBSERVED } from '../view/captions/time.js';
import { type CanvasColours, emptied, pixelRatio } from './platform/canvas.js';

/** By `Activity`: a CSS variable, its opacity, and lines on a tile of 6 by 6 pixels, as x1, y1, x2, y2. */
const LOOKS: readonly { readonly colour: string; readonly alpha: number; readonly lines: readonly number[][] }[] = [
  { colour: 'u3', alpha: 1, lines: [] },
  {
    colour: 'syscall',
    alpha: 1,
    lines: [
      [1.5, 0, 1.5, 6],
      [4.5, 0, 4.5, 6],
    ],
  },
  {
    colour: 'untraced',
    alpha: 0.8,
    lines: [
      [0, 1.5, 6, 1.5],
      [0, 4.5, 6, 4.5],
    ],
  },
  { colour: 'off-cpu', alpha: 0.35, lines: [] },
  { colour: 'preempted', alpha: 0.8, lines: [[0, 6, 6, 0]] },
  {
    colour: 'lost',
    alpha: 0.6,
    lines: [
      [0, 6, 6, 0],
      [0, 0, 6, 6],
    ],
  },
];
const TILE_PX = 6;

/** Returns by `Activity` its fill. */
export function textures(colours: CanvasColours): CanvasPattern[] {
  const ink = colours.of('ink');
  return LOOKS.map(({ colour, alpha, lines }) => {
    const ratio = pixelRatio();
    const tile = html('canvas', { width: TILE_PX * ratio, height: TILE_PX * ratio });
    const pen = tile.getContext('2d') as CanvasRenderingContext2D;
    pen.scale(ratio, ratio);
    pen.globalAlpha = alpha;
    pen.fillStyle = colours.of(colour);
    pen.fillRect(0, 0, TILE_PX, TILE_PX);
    pen.globalAlpha = 0.55;
    pen.strokeStyle = ink;
    for (const [x1, y1, x2, y2] of lines as [number, number, number, number][]) {
      pen.beginPath();
      pen.moveTo(x1, y1);
      pen.lineTo(x2, y2);
      pen.stroke();
    }
    const pattern = pen.createPattern(tile, 'repeat') as CanvasPattern;
    pattern.setTransform(new DOMMatrix().scale(1 / ratio));
    return pattern;
  });
}

/** Shows what the fills stand for. `shown`: those that occur. */
export function showTextures(list: HTMLElement, fills: readonly CanvasPattern[], shown: readonly number[]): void {
  const items = shown.map((activity) => html('li', {}, swatch(fills[activity]), nameOf(activity)));
  list.replaceChildren(...items);
}

function nameOf(activity: number): string {
  return ACTIVITY_NAMES[activity] ?? UNOBSERVED;
}

function swatch(fill: CanvasPattern | undefined): HTMLCanvasElement {
  const canvas = html('canvas', { class: 'texture', 'aria-hidden': 'true' });
  const pen = emptied(canvas, SWATCH_PX, SWATCH_PX);
  if (fill !== undefined) pen.fillStyle = fill;
  if (fill !== undefined) pen.fillRect(0, 0, SWATCH_PX, SWATCH_PX);
  return canvas;
}

const SWATCH_PX = 13;

/** In the order in which they are stacked, from the bottom. */
export const STACKED: readonly number[] = [
  Activity.Running,
  Activity.Syscall,
  Activity.Untraced,
  Activity.Preempted,
  Activity.OffCpu,
  Activity.Lost,
];
