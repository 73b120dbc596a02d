/**
 * The functions of a comparison as rows of the page's table: written into the file, and read back in the browser.
 */
import { jsonForXml } from '../../render/svg/data.js';
import { visibleText } from '../../render/visible-text.js';

interface Pair {
  readonly before: number | null;
  readonly after: number | null;
}

const ROW_NUMBERS = ['totalNs', 'selfNs', 'calls', 'avgNs', 'p99Ns'] as const;
export type RowNumber = (typeof ROW_NUMBERS)[number];
const NOISY = ['totalNs', 'selfNs', 'avgNs', 'p99Ns'] as const;

/** What the page shows of a row of the answer of `ptflame diff`. */
export interface FunctionChange extends Readonly<Record<RowNumber, Pair>> {
  readonly name: string;
  readonly isNew: boolean;
  readonly isGone: boolean;
  readonly withinNoise: Readonly<Record<(typeof NOISY)[number], boolean>>;
}

type WrittenRow = readonly [name: string, flags: string, ...numbers: (number | null)[]];

/** Names are written as frames show them, so that a row finds its frames. */
export function writeRows(rows: readonly FunctionChange[]): string {
  const written = rows.map((row): WrittenRow => {
    const bits = [row.isNew, row.isGone, ...NOISY.map((name) => row.withinNoise[name])];
    const numbers = ROW_NUMBERS.flatMap((name) => [row[name].before, row[name].after]);
    return [visibleText(row.name), bits.map(Number).join(''), ...numbers];
  });
  return jsonForXml(written);
}

export function readRows(text: string): FunctionChange[] {
  return (JSON.parse(text) as WrittenRow[]).map(([name, flags, ...numbers]) => {
    const isSet = (at: number) => flags[at] === '1';
    const pairs = ROW_NUMBERS.map((number, at) => [number, { before: numbers[2 * at], after: numbers[2 * at + 1] }]);
    const withinNoise = Object.fromEntries(NOISY.map((number, at) => [number, isSet(2 + at)]));
    return { name, isNew: isSet(0), isGone: isSet(1), ...Object.fromEntries(pairs), withinNoise } as FunctionChange;
  });
}
