/**
 * Orders names by their UTF-8 bytes, like `LC_ALL=C sort`.
 */

/** Unlike JavaScript's own order, which puts characters beyond U+FFFF (two units) before those from U+E000 on. */
export function compareUtf8(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const difference = rankOf(a.charCodeAt(at)) - rankOf(b.charCodeAt(at));
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Different units have different ranks, so different texts never compare equal, even with lone surrogates. */
function rankOf(unit: number): number {
  const isSurrogate = unit >= 0xd800 && unit <= 0xdfff;
  return isSurrogate ? unit + 0x10000 : unit;
}
