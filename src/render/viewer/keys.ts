/**
 * Keys of a viewer: those of the system and of the browser are left to them.
 */
export function isShortcut({ ctrlKey, altKey, metaKey }: KeyboardEvent): boolean {
  return ctrlKey || altKey || metaKey;
}
