/**
 * Finds impossible numbers in the JSON of a profile or an answer: negative ones, and fractions instead of integers.
 */

/** Rows of other tables are −1 for none; perf may not know ids and codes. */
const MAY_BE_MINUS_ONE = ['parent', 'symbol', 'dso', 'pid', 'tid', 'code'];
/** Shares, means and their differences. */
const MAY_BE_FRACTIONS = ['share', 'avgNs', 'perCallNs', 'averageCalls', 'averageNs', 'differenceNs'];

/** Returns `path: value` for each. */
export function wrongNumbers(json: string): string[] {
  return [...wrongIn(JSON.parse(json), '', '')];
}

function* wrongIn(value: unknown, path: string, key: string): Generator<string> {
  if (typeof value === 'number') {
    if (!isPossible(value, key)) yield `${path}: ${value}`;
  } else if (typeof value === 'object' && value !== null)
    for (const [name, inner] of Object.entries(value))
      yield* wrongIn(inner, `${path}.${name}`, Array.isArray(value) ? key : name);
}

function isPossible(value: number, key: string): boolean {
  if (key === 'differenceNs') return Number.isFinite(value);
  const isWhole = Number.isInteger(value) || MAY_BE_FRACTIONS.includes(key);
  return isWhole && value >= (MAY_BE_MINUS_ONE.includes(key) ? -1 : 0);
}
