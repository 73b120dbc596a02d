/**
 * Decodes punycode (RFC 3492) with an underscore instead of the hyphen: `bcher_kva` → `bücher`.
 */
const MAX_CODE_POINT = 0x10ffff;
const MAX_LENGTH = 128;

/** Returns null if it is not valid. */
export function decodePunycode(text: string): string | null {
  const split = text.lastIndexOf('_');
  const characters = split === -1 ? [] : [...text.slice(0, split)];
  const digits = text.slice(split + 1);
  if (digits === '') return null;
  let code = 0x80;
  let position = 0;
  let bias = 72;
  for (let at = 0; at < digits.length; ) {
    const number = readNumber(digits, at, bias);
    if (number === null || characters.length >= MAX_LENGTH) return null;
    const count = characters.length + 1;
    position += number.value;
    bias = adapted(number.value, count, at === 0);
    code += Math.floor(position / count);
    position %= count;
    if (code > MAX_CODE_POINT) return null;
    characters.splice(position++, 0, String.fromCodePoint(code));
    at = number.end;
  }
  return characters.join('');
}

function readNumber(digits: string, start: number, bias: number): { value: number; end: number } | null {
  let value = 0;
  let weight = 1;
  for (let at = start; at < digits.length; at++) {
    const digit = digitOf(digits[at]);
    const threshold = Math.min(Math.max(36 * (at - start + 1) - bias, 1), 26);
    value += digit * weight;
    if (digit === -1 || value > 2 ** 40) return null;
    if (digit < threshold) return { value, end: at + 1 };
    weight *= 36 - threshold;
  }
  return null;
}

function digitOf(character: string): number {
  return 'abcdefghijklmnopqrstuvwxyz0123456789'.indexOf(character);
}

function adapted(value: number, count: number, isFirst: boolean): number {
  let delta = Math.floor(value / (isFirst ? 700 : 2));
  delta += Math.floor(delta / count);
  let bias = 0;
  for (; delta > 455; bias += 36) delta = Math.floor(delta / 35);
  return bias + Math.floor((36 * delta) / (delta + 38));
}
