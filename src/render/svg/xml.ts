/**
 * Writes the markup of frames: rectangles, hatching, labels.
 */
import { type Drawing, hatchPath, px, type Rectangle } from '../frames/drawing.js';
import { briefDetails } from '../frames/frame-details.js';
import { visibleWithIsolates } from '../visible-text.js';

/** `briefOf`: the title of a frame, in one line. */
export function boxMarkup(
  { table, boxes }: Drawing,
  rectangle: Rectangle,
  classes = rectangle.className,
  briefOf = briefDetails,
): string {
  const { box, xPx, yPx, widthPx, heightPx } = rectangle;
  return `<rect class="${classes}" x="${px(xPx)}" y="${yPx}" width="${px(widthPx)}" height="${heightPx}"><title>${xml(briefOf(table, boxes, box))}</title></rect>\n`;
}

/** Yields one path that hatches frames, and the labels above it. */
export function* hatchingAndLabels(drawn: readonly Rectangle[], attributes = ''): Generator<string> {
  yield `<path ${attributes}fill="url(#hatch)" d="`;
  for (const rectangle of drawn) if (rectangle.isHatched) yield hatchPath(rectangle);
  yield '"/>\n<g id="labels">\n';
  for (const { label, textXPx, textYPx } of drawn)
    if (label !== '') yield `<text x="${px(textXPx)}" y="${textYPx}">${xml(label)}</text>\n`;
  yield '</g>\n</g>\n';
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * Escapes text for XML.
 *
 * Escapes text for elements and quoted attributes. Characters that XML forbids are shown by their code point.
 */
export function xml(text: string): string {
  return visibleWithIsolates(text).replace(/[&<>"']/g, (character) => ENTITIES[character] as string);
}

/** Escapes our own scripts and style sheets; line breaks stay. */
export function xmlSource(source: string): string {
  return source.replace(/[&<>]/g, (character) => ENTITIES[character] as string);
}
