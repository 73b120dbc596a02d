/**
 * The order of names: that of their UTF-8 bytes, as `LC_ALL=C sort` has it.
 */

/** JavaScript's own order puts characters beyond U+FFFF, which are two units, before those from U+E000 on. */
export function compareUtf8(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const difference = rankOf(a.charCodeAt(at)) - rankOf(b.charCodeAt(at));
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Different texts never have the same place, lone surrogates included. */
function rankOf(unit: number): number {
  const isSurrogate = unit >= 0xd800 && unit <= 0xdfff;
  return isSurrogate ? unit + 0x10000 : unit;
}
