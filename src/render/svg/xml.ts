/**
 * Writes the markup of frames: rectangles, textures, labels.
 */
import { type Drawing, px, type Rectangle, TEXTURE_NAMES, texturePath } from '../frames/drawing.js';
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

/** Yields one path for each texture, and the labels above them. */
export function* texturesAndLabels(drawn: readonly Rectangle[]): Generator<string> {
  yield '<g id="textures">';
  for (const name of TEXTURE_NAMES) yield `<path fill="url(#${name})" d="${texturePath(drawn, name)}"/>`;
  yield '</g>\n<g id="labels">\n';
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
