/**
 * Escapes text for XML.
 */
import { visibleWithIsolates } from '../frames/isolated.js';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for elements and quoted attributes. Characters that XML forbids are shown by their code point. */
export function xml(text: string): string {
  return visibleWithIsolates(text).replace(/[&<>"']/g, (character) => ENTITIES[character] as string);
}

/** Escapes our own scripts and style sheets; line breaks stay. */
export function xmlSource(source: string): string {
  return source.replace(/[&<>]/g, (character) => ENTITIES[character] as string);
}
