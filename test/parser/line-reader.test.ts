/**
 * What is read fast says the same as what is read slowly: the tolerant parser is the definition.
 */
import { readdirSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Origin } from '../../src/parser/branch-ends.js';
import { edgeOf } from '../../src/parser/flags.js';
import { NOT_PRINTED } from '../../src/parser/line-prefix.js';
import { LineReader } from '../../src/parser/line-reader.js';
import { type PerfLine, parsePerfLine } from '../../src/parser/perf-line.js';
import { LINE_COLUMNS, Line, lineText, OTHER, type ReadLines } from '../../src/parser/read-lines.js';
import { fixture } from '../helpers/load.js';

const FOLDERS = ['lab', 'hardware', 'constructed', 'damaged'];
const fixtures = FOLDERS.flatMap((folder) =>
  readdirSync(new URL(`../../fixtures/${folder}`, import.meta.url)).map((name) => `${folder}/${name}`),
);

/** A reader and the branches that it has told of so far. */
class Told {
  private readonly reader = new LineReader();
  private readonly origins: Origin[] = [];
  private readonly targets: string[] = [];
  private readonly pairs: number[] = [];

  /** How many lines were read as plain branches; each line is compared with what the tolerant parser says of it. */
  expectAsSlow(bytes: Uint8Array): number {
    const lines = this.reader.read(bytes);
    const { origins, targets, pairs } = this.reader.takeNewBranches();
    this.origins.push(...origins);
    this.targets.push(...targets);
    this.pairs.push(...pairs);
    const starts = lineStarts(bytes);
    expect(Array.from({ length: lines.length }, (_, row) => lines.rows[row * LINE_COLUMNS + Line.Start])).toEqual(
      starts,
    );
    let other = 0;
    starts.forEach((start, row) => {
      const slow = parsePerfLine(lineText(bytes, start, bytes.indexOf(10, start)));
      if (lines.rows[row * LINE_COLUMNS + Line.Branch] === OTHER) {
        expect(lines.otherRows[other]).toBe(row);
        expect(lines.others[other++]).toEqual(slow);
      } else expect(this.fast(lines, row * LINE_COLUMNS)).toEqual(plain(slow));
    });
    return lines.length - other;
  }

  private fast({ rows, heads }: ReadLines, at: number) {
    const branch = rows[at + Line.Branch] as number;
    const origin = this.origins[this.pairs[2 * branch] as number] as Origin;
    const to = this.targets[this.pairs[2 * branch + 1] as number] as string;
    return { ...heads[rows[at + Line.Head] as number], ns: rows[at + Line.Ns], ...origin, to };
  }
}

function plain(line: PerfLine) {
  if (line.type !== 'branch' || line.flags.unknown !== null || line.flags.notTaken) return line;
  const { prefix, flags, from, to } = line;
  const { tid, pid, cpu, time } = prefix;
  const numbers = { tid, pid: pid ?? NOT_PRINTED, cpu: cpu ?? NOT_PRINTED, seconds: time?.seconds, ns: time?.ns };
  return { ...numbers, kind: flags.kind, edge: edgeOf(flags.kind, flags.edge), from, to };
}

function lineStarts(bytes: Uint8Array): number[] {
  const starts: number[] = [];
  for (let start = 0; start < bytes.length; start = bytes.indexOf(10, start) + 1) starts.push(start);
  return starts;
}

function wholeLines(name: string): Uint8Array {
  const bytes = fixture(name);
  return new Uint8Array(bytes.subarray(0, bytes.lastIndexOf(10) + 1));
}

describe('every line, when it is new and when it is known', () => {
  test.each(fixtures)('%s', (name) => {
    const told = new Told();
    const bytes = wholeLines(name);
    const read = told.expectAsSlow(bytes);
    expect(told.expectAsSlow(bytes)).toBe(read);
  });
});

test('most lines of an ordinary trace are known by their bytes', () => {
  const told = new Told();
  const bytes = wholeLines('lab/demo-cre.txt');
  expect(told.expectAsSlow(bytes) / lineStarts(bytes).length).toBeGreaterThan(0.9);
});

test('a byte that differs makes another line of it', () => {
  const bytes = wholeLines('lab/demo-be.txt').subarray(0, 12_000);
  const whole = bytes.subarray(0, bytes.lastIndexOf(10) + 1);
  const flip = fc.record({ at: fc.nat(whole.length - 1), byte: fc.constantFrom(0, 32, 48, 57, 97, 128, 255, 61, 62) });
  fc.assert(
    fc.property(fc.array(flip, { minLength: 1, maxLength: 8 }), (flips) => {
      const told = new Told();
      told.expectAsSlow(whole);
      const changed = whole.slice();
      for (const { at, byte } of flips) if (changed[at] !== 10) changed[at] = byte;
      told.expectAsSlow(changed);
      told.expectAsSlow(whole);
    }),
    { numRuns: 300 },
  );
});

test.each([
  '\t IPC: 0.53 (27/50) ',
  ' ilen: 3 insn: 48 89 e5',
  ' insn: e8 11',
  '\t\tmov %rsp, %rbp',
  ' ',
  '  ',
  ' (/opt/demo)',
  ' PERF_RECORD_SWITCH OUT',
])('behind a target of the usual form: "%s"', (tail) => {
  const line = `7 [000] 1.000000001:   call                       401163 main+0xa3 =>           401260 leaf+0x0${tail}\n`;
  new Told().expectAsSlow(Buffer.from(line.repeat(2)));
});
