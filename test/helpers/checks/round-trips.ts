/**
 * Inputs for tests that write a file and read it back.
 */
import { readdirSync } from 'node:fs';
import fc from 'fast-check';
import type { TraceInput } from '../../../src/index.js';
import type { Decision } from '../random/execution.js';

/** None of their branches can be replayed. */
const REFUSED = [
  'hardware/sampling-callchain.txt',
  'lab/fields-callindent.txt',
  'lab/fields-default.txt',
  'lab/fields-power-events-default.txt',
  'lab/sideband-default-fields.txt',
];

/** Returns the traces in some folders of fixtures, by name. */
export function tracesIn(folders: readonly string[]): string[] {
  const filesIn = (folder: string) => readdirSync(`fixtures/${folder}`).filter((file) => /\.txt(\.gz)?$/.test(file));
  const names = folders.flatMap((folder) => filesIn(folder).map((file) => `${folder}/${file}`));
  return names.filter((name) => !REFUSED.includes(name));
}

/** Generates decisions of several threads; `ns` are the possible durations. */
export function manyThreads(...ns: readonly number[]): fc.Arbitrary<Decision[][]> {
  const decision: fc.Arbitrary<Decision> = fc.record({
    what: fc.constantFrom('call', 'call', 'return', 'return', 'tail', 'syscall', 'interrupt', 'migrate'),
    which: fc.nat(2000),
    ns: fc.constantFrom(...ns),
  });
  return fc.array(fc.array(decision, { minLength: 1, maxLength: 60 }), { minLength: 1, maxLength: 4 });
}

/** Returns one call at a number of seconds on perf's clock. */
export function callAt(seconds: number): string {
  return `1 [000] ${seconds}.000000500: call 1000 main+0x0 => 2000 a+0x0\n`;
}

/** Returns an input that fails after some lines. */
export function breakingOff(name: string, lines: string): TraceInput {
  async function* bytes() {
    yield Buffer.from(lines);
    throw new Error('gone');
  }
  return { name, bytes: bytes() };
}
