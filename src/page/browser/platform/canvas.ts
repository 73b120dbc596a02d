/**
 * Canvases in the colours of the theme, as sharp as the screen.
 */
import { htmlElement as html } from '../../../render/viewer/dom.js';

/** Colours of the theme, as canvases need them. */
export class CanvasColours {
  private readonly probe = html('span', { hidden: '' });
  /** By CSS variable. */
  private readonly known = new Map<string, string>();

  constructor(parent: HTMLElement) {
    parent.append(this.probe);
  }

  /** Reads colours again: the theme changed. */
  forget(): void {
    this.known.clear();
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
export function keepForPrint(canvases: Iterable<HTMLCanvasElement>): void {
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
