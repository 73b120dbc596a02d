/**
 * Recognizes shortcuts of the system and the browser, which a viewer leaves alone.
 */
export function isShortcut({ ctrlKey, altKey, metaKey }: KeyboardEvent): boolean {
  return ctrlKey || altKey || metaKey;
}
