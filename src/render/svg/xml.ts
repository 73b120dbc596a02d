/**
 * Text → XML.
 */
import { visibleWithIsolates } from '../frames/isolated.js';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** For elements and quoted attributes. Characters that XML forbids are shown by their number. */
export function xml(text: string): string {
  return visibleWithIsolates(text).replace(/[&<>"']/g, (character) => ENTITIES[character] as string);
}

/** For a script or a style sheet of our own, whose line breaks stay. */
export function xmlSource(source: string): string {
  return source.replace(/[&<>]/g, (character) => ENTITIES[character] as string);
}
