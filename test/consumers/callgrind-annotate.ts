/**
 * Reads files with callgrind_annotate.
 */
import { execa } from 'execa';
import { pathOf } from '../tools/needs.js';

export interface AnnotatedRow {
  /** By event. */
  readonly costs: readonly number[];
  /** How often it called which functions, and what these calls cost. */
  readonly callees: Map<string, { readonly calls: number; readonly costs: readonly number[] }>;
}

/** Returns the rows of all functions by name. `isInclusive`: costs with callees. */
export async function annotate(file: string, isInclusive: boolean): Promise<ReadonlyMap<string, AnnotatedRow>> {
  const options = [`--inclusive=${isInclusive ? 'yes' : 'no'}`, '--tree=calling', '--threshold=100', '--show-percs=no'];
  const { stdout, stderr } = await execa(pathOf('callgrind_annotate'), [...options, '--auto=no', file]);
  if (stderr !== '') throw new Error(stderr);
  const rows = new Map<string, AnnotatedRow>();
  let last: AnnotatedRow | undefined;
  for (const [, values = '', mark, name = '', calls = ''] of stdout.matchAll(ROW)) {
    const costs = values.trim().split(/ +/).map(numberOf);
    if (mark === '>') last?.callees.set(name, { calls: numberOf(calls), costs });
    else rows.set(name, (last = { costs, callees: new Map() }));
  }
  return rows;
}

/** "1,234     0  *  ???:main [demo]", and below it "1,000     0  >   ???:f (2x) [demo]". */
const ROW = /^ *((?:[\d,]+ +)+)([*>]) +\?\?\?:(.*?)(?: \(([\d,]+)x\))?(?: \[\[?[^[\]\n]*\]?\])?$/gm;

function numberOf(text: string): number {
  return Number(text.replaceAll(',', ''));
}
