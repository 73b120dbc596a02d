/**
 * Decodes a program whose code is only in a jitdump: its profile is that of the program as a file.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { sourceOf } from '../../src/symbols/byte-source.js';
import { readJitDump } from '../../src/symbols/jitdump.js';
import { type Directory, test } from '../helpers/cli/run-cli.js';
import { profileOfOwn, profileOfPerf } from '../helpers/perf/both-decoders.js';
import {
  ABSENT_PID,
  type DumpedFunction,
  dumpHeader,
  jitRecording,
  loadRecord,
  moveRecord,
  ofAbsentProcess,
  PID,
  PROGRAM,
  programFunctions,
  withAbsentIds,
} from '../helpers/perf/jit.js';
import { RECORDED_ROOT, recordingPath } from '../helpers/perf/perf.js';
import { needs } from '../tools/needs.js';

needs('perf');

const MARKER = `/jit-${PID}.dump`;
const FUNCTIONS = programFunctions();
/** In ticks: 100 ns after the program was mapped, before its first branch. */
const EARLY = 36_986_036_707_150n;
/** 12 µs later, about the middle of the recording. */
const MIDDLE = EARLY + 36_000n;
const LATE = 60_000_000_000_000n;
/** Nothing of the program. */
const other = (start: number, length: number): DumpedFunction => ({
  name: 'other',
  start,
  code: new Uint8Array(length).fill(0xc3),
});

async function profileWith(dir: Directory, dump: Buffer | null, code = '//anon'): Promise<string> {
  const path = await dir.write('perf.data', jitRecording({ marker: MARKER, code }));
  if (dump !== null) await dir.write(MARKER.slice(1), dump);
  return comparable(await profileOfOwn(path, dir.path, true), path, MARKER);
}

/** With the names of recording and binary that the program's own recording has. */
function comparable(profile: string, path: string, file: string): string {
  return profile.replaceAll(path, 'perf.data').replaceAll(file, PROGRAM);
}

async function profileOfProgram(): Promise<string> {
  const path = recordingPath('loop');
  return comparable(await profileOfOwn(path, RECORDED_ROOT, true), path, MARKER);
}

const loads = (time: bigint) => FUNCTIONS.map((code, index) => loadRecord(code, index, time));

describe('a program whose code is in a jitdump has the profile of the program', () => {
  test.for<[string, Buffer, string]>([
    ['of one load per function', Buffer.concat([dumpHeader(EARLY), ...loads(EARLY)]), '//anon'],
    ['of memory with another name', Buffer.concat([dumpHeader(EARLY), ...loads(EARLY)]), '/memfd:jit (deleted)'],
    ['of another clock', Buffer.concat([dumpHeader(777n, 0), ...loads(777n)]), '//anon'],
    [
      'with functions that came after other code',
      Buffer.concat([dumpHeader(EARLY), loadRecord(other(0x401000, 0x128), 99, EARLY), ...loads(EARLY + 1n)]),
      '//anon',
    ],
    [
      'with other code that came later',
      Buffer.concat([dumpHeader(EARLY), ...loads(EARLY), loadRecord(other(0x401000, 0x128), 99, LATE)]),
      '//anon',
    ],
    [
      'with functions that were moved there',
      Buffer.concat([
        dumpHeader(EARLY),
        ...FUNCTIONS.flatMap((code, index) => {
          const elsewhere = { ...code, start: code.start + 0x100000 };
          return [loadRecord(elsewhere, index, EARLY), moveRecord(elsewhere, code.start, index, EARLY)];
        }),
      ]),
      '//anon',
    ],
  ])('%s', async ([, dump, code], { dir }) => {
    expect(await profileWith(dir, dump, code)).toBe(await profileOfProgram());
  });
});

test.for<[string, Buffer, bigint, bigint]>([
  ['TSC', dumpHeader(EARLY), EARLY, MIDDLE],
  ['the system', dumpHeader(5000n, 0), 5000n, 17_000n],
  ['the system, with the time of day in the header', dumpHeader(1_795_369_142_072_044n, 0), 5000n, 17_000n],
])('a function that replaces another one during the run has its name from then on: %s', async (clock, { dir }) => {
  const [, header, early, middle] = clock;
  const [leaf] = FUNCTIONS;
  const again = loadRecord({ ...leaf, name: 'again' }, 99, middle);
  const profile = await profileWith(dir, Buffer.concat([header, ...loads(early), again]));
  const callsOf = (profile: string, name: string) => {
    const { symbols, threads } = JSON.parse(profile) as {
      symbols: { name: string[] };
      threads: { tree: { symbol: number[]; calls: number[] } }[];
    };
    return threads
      .flatMap(({ tree }) => tree.calls.filter((_, node) => symbols.name[tree.symbol[node]] === name))
      .reduce((sum, calls) => sum + calls, 0);
  };
  const counts = ['leaf', 'again'].map((name) => callsOf(profile, name));
  expect(Math.min(...counts)).toBeGreaterThan(100);
  expect(counts[0] + counts[1]).toBe(callsOf(await profileOfProgram(), 'leaf'));
});

test('without the jitdump, the time is lost', async ({ dir }) => {
  const profile = await profileWith(dir, null);
  expect(profile).not.toContain('"_start"');
  expect(profile).toContain('jitdumps keep it');
});

describe('code of a JIT compiler without a dump has the names and the files that perf gives it', () => {
  test.for<[string, string | null]>([
    ['anonymous memory', '//anon'],
    ['memory with a name', '/memfd:jit (deleted)'],
    ['the heap', '[heap]'],
    ['named anonymous memory', '[anon:jit]'],
    ['memory without a mapping', null],
  ])('%s', async ([, code], { dir }) => {
    const path = await dir.write('perf.data', jitRecording({ marker: '/marker', code }));
    const own = symbolsOf(await profileOfOwn(path, dir.path, true));
    expect(own).toEqual(symbolsOf(await profileOfPerf(path, dir.path, true)));
    expect(own).toContainEqual(['[unknown 0x401000-0x401fff]', null]);
  });
});

function symbolsOf(profile: string): [name: string, file: string | null][] {
  const { symbols } = JSON.parse(profile) as { symbols: { name: string[]; dso: number[]; dsoName: string[] } };
  return symbols.name.map((name, row) => [name, symbols.dsoName[symbols.dso[row]] ?? null]);
}

test('a function that is missing in the dump is missing in the profile', async ({ dir }) => {
  const some = FUNCTIONS.map((code, index) => loadRecord(code, index, EARLY)).toSpliced(1, 1);
  expect(await profileWith(dir, Buffer.concat([dumpHeader(EARLY), ...some]))).not.toBe(await profileOfProgram());
});

test('after perf inject --jit, it is decoded by the files of perf, as perf decodes it', async ({ dir }) => {
  const dump = `jit-${ABSENT_PID}.dump`;
  const path = await dir.write('perf.data', ofAbsentProcess(jitRecording({ marker: dir.file(dump), code: '//anon' })));
  await dir.write(dump, Buffer.concat([dumpHeader(EARLY), ...loads(EARLY)].map(withAbsentIds)));
  const injected = join(dir.path, 'injected.data');
  execFileSync('perf', ['inject', '--jit', '-i', path, '-o', injected], { cwd: dir.path, stdio: 'ignore' });
  const own = await profileOfOwn(injected, null, true);
  expect(own).toBe(await profileOfPerf(injected, null, true));
  expect(own).toContain('"_start"');
});

describe('a dump that is damaged', () => {
  const whole = Buffer.concat([dumpHeader(EARLY), ...loads(EARLY)]);
  const namesOf = (bytes: Uint8Array) => readJitDump(sourceOf(bytes))?.functions.map(({ name }) => name);
  const names = FUNCTIONS.map(({ name }) => name);

  test('has its functions up to the damage', () => {
    expect(namesOf(whole)).toEqual(names);
    expect(namesOf(whole.subarray(0, whole.length - 1))).toEqual(names.slice(0, -1));
    expect(namesOf(whole.subarray(0, 45))).toEqual([]);
  });

  test.each([
    ['no dump', Buffer.from('text'.repeat(20))],
    ['a dump of another byte order', Buffer.from(whole).fill('JiTD', 0, 4)],
    ['a dump of another architecture', Buffer.from(whole).fill(183, 12, 13)],
    ['an empty file', Buffer.alloc(0)],
  ])('is refused if it is %s', (_, bytes) => {
    expect(readJitDump(sourceOf(bytes))).toBeNull();
  });

  test('gives functions within the file, whatever its numbers are', () => {
    for (let at = 0; at < whole.length; at++)
      for (const byte of [0, 0x7f, 0xff]) {
        const bytes = Buffer.from(whole).fill(byte, at, at + 1);
        for (const { fileOffset, length } of readJitDump(sourceOf(bytes))?.functions ?? []) {
          expect(length).toBeGreaterThan(0);
          expect(fileOffset + length).toBeLessThanOrEqual(bytes.length);
        }
      }
  });
});
