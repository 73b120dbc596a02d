/**
 * Leaves out jumps within functions: nothing that the profile shows depends on them.
 */
import { describe, expect, test } from 'vitest';
import { placedPieces, randomCase, randomSettings } from '../../fuzz/pt/cases.js';
import { OwnDecoder } from '../../fuzz/pt/decode-own.js';
import { CODE_BASE, randomProgram } from '../../fuzz/pt/program.js';
import { Random } from '../../fuzz/random.js';
import { analyze, type Profile } from '../../src/index.js';
import { encodedOf } from '../helpers/perf/both-decoders.js';
import { ALONE, treesOf } from '../helpers/perf/decoding.js';
import { RECORDED_ROOT, RECORDINGS, recordingPath } from '../helpers/perf/perf.js';

async function profileOf(name: string, jumps: boolean | 'leaving'): Promise<Profile> {
  return analyze([await encodedOf(recordingPath(name), RECORDED_ROOT, jumps)], ALONE);
}

describe.each(RECORDINGS)('%s', (name) => {
  test('has the same trees with jumps between functions as with every branch', async () => {
    const leaving = await profileOf(name, 'leaving');
    const all = await profileOf(name, true);
    expect(treesOf(leaving)).toBe(treesOf(all));
    const { lines: _, events, ...quality } = leaving.quality;
    expect(all.quality).toMatchObject(quality);
    expect(events).toBeLessThanOrEqual(all.quality.events);
  });
});

test('few events more than calls and returns leave no hidden jump', async () => {
  const [calls, leaving, all] = await Promise.all(
    [false, 'leaving' as const, true].map((jumps) => profileOf('cpus-2', jumps)),
  );
  expect(calls?.quality.inferredCalls.HiddenJump).toBeGreaterThan(0);
  expect(leaving?.quality.inferredCalls.HiddenJump).toBe(0);
  const [few = 0, more = 0, many = 0] = [calls, leaving, all].map((profile) => profile?.quality.events);
  expect(more - few).toBeGreaterThan(0);
  expect(more - few).toBeLessThan((many - few) / 2);
});

describe('of random packets and code', () => {
  const PROGRAMS = 15;
  const CASES = 40;
  /** Functions have this many bytes; nothing is known of each fourth. */
  const FUNCTION_BYTES = 64;

  const functionOf = (address: number) => Math.floor((address - CODE_BASE) / FUNCTION_BYTES);
  const isKnown = (fn: number) => fn % 4 !== 3;

  function functionAt(_: unknown, address: number) {
    const fn = functionOf(address);
    const start = CODE_BASE + fn * FUNCTION_BYTES;
    return isKnown(fn) ? { start, end: start + FUNCTION_BYTES } : null;
  }

  /** Such as `1.000000002 jmp 400010 400020`. */
  function leavesFunction(line: string): boolean {
    const [, kind, from, to] = line.split(' ');
    if (kind !== 'jmp' && kind !== 'jcc') return true;
    const [before, after] = [from, to].map((address) => functionOf(Number.parseInt(address ?? '', 16)));
    return before !== after || !isKnown(before as number);
  }

  test('exactly the jumps between functions, or of unknown ones, are events, at the same times', () => {
    let left = 0;
    let kept = 0;
    for (let group = 0; group < PROGRAMS; group++) {
      const random = new Random(9, group);
      const program = randomProgram(random, 20 + random.below(200));
      const settings = randomSettings(random);
      const length = Math.ceil(program.bytes.length / 4096) * 4096;
      const files = [{ path: 'code', start: CODE_BASE, length, bytes: program.bytes }];
      const all = new OwnDecoder({ settings, files, allBranches: true });
      const leaving = new OwnDecoder({ settings, files, allBranches: true, functionAt });
      for (let number = 0; number < CASES; number++) {
        const placed = placedPieces(randomCase(new Random(group, number), number, program, settings), 0);
        const expected = all.decode(placed);
        const found = leaving.decode(placed);
        const events = expected.events.filter(leavesFunction);
        const threads = expected.threads?.filter((_, at) => leavesFunction(expected.events[at] as string));
        expect(found).toEqual({ ...expected, events, threads });
        left += expected.events.length - events.length;
        kept += events.filter((line) => / j(?:mp|cc) /.test(line)).length;
      }
    }
    expect(left).toBeGreaterThan(500);
    expect(kept).toBeGreaterThan(500);
  });
});
