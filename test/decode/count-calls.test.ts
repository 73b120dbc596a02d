/**
 * Instructions, cycles and iterations of single calls, against those that perf decodes one by one.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { askLatency } from '../../src/index.js';
import { test } from '../helpers/cli/run-cli.js';
import { encodedOf } from '../helpers/perf/both-decoders.js';
import { ALONE } from '../helpers/perf/decoding.js';
import { RECORDED_ROOT, recordingPath } from '../helpers/perf/perf.js';
import { needs } from '../tools/needs.js';

needs('perf');

/** A CBR packet: 30 times the clock of the bus. */
const CBR_30 = Buffer.from([0x02, 0x03, 0x1e, 0x00]);

interface Line {
  readonly ns: bigint;
  readonly isBranch: boolean;
  /** Cycles that have passed since the line before. */
  readonly cycles: number;
  readonly from: bigint;
  readonly to: bigint;
  /** Of an instruction, where it is. */
  readonly target: string;
}

const LINE =
  /^ *(\d+) \[\d+\] (\d+)\.(\d{9}): +(instructions|branches):u: +([0-9a-f]+)(?: \S+ =>)? +([0-9a-f]+) (\S+)(?:.*IPC: [\d.]+ \(\d+\/(\d+)\))?/;

/** The lines of a thread, and by time the rows of those that are branches. */
interface Lines {
  readonly all: readonly Line[];
  readonly branchesAt: ReadonlyMap<bigint, readonly number[]>;
}

const NO_LINES: Lines = { all: [], branchesAt: new Map() };

const found = new Map<string, ReadonlyMap<number, Lines>>();

/** The instructions of each thread, and the branches right after those that made them. */
function linesOfPerf(name: string): ReadonlyMap<number, Lines> {
  const known = found.get(name);
  if (known !== undefined) return known;
  const threads = new Map([...readLines(name)].map(([tid, lines]) => [tid, byTime(lines)]));
  found.set(name, threads);
  return threads;
}

function byTime(all: readonly Line[]): Lines {
  const branchesAt = new Map<bigint, number[]>();
  for (const [row, { isBranch, ns }] of all.entries()) {
    if (!isBranch) continue;
    const rows = branchesAt.get(ns);
    if (rows === undefined) branchesAt.set(ns, [row]);
    else rows.push(row);
  }
  return { all, branchesAt };
}

function readLines(name: string): ReadonlyMap<number, readonly Line[]> {
  const fields = 'tid,cpu,time,event,ip,sym,symoff,addr,ipc';
  const args = ['script', '-i', recordingPath(name), '--symfs', RECORDED_ROOT, '--itrace=i1icr', '--ns', '-F', fields];
  const text = execFileSync('perf', args, { stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 2 ** 30 }).toString();
  const threads = new Map<number, Line[]>();
  for (const line of text.split('\n')) {
    const [, tid, seconds, ns, what, from = '0', to = '0', target = '', cycles = '0'] = LINE.exec(line) ?? [];
    if (tid === undefined) continue;
    const own = threads.get(Number(tid)) ?? [];
    threads.set(Number(tid), own);
    own.push({
      ns: BigInt(seconds as string) * 1_000_000_000n + BigInt(ns as string),
      isBranch: what === 'branches',
      cycles: Number(cycles),
      ...{ from: BigInt(`0x${from}`), to: BigInt(`0x${to}`), target },
    });
  }
  return threads;
}

/** The lines of each call that begins and ends at these times: after the branch that makes it, up to its return. */
function linesOfCalls(
  { all: lines, branchesAt }: Lines,
  fn: string,
  startNs: bigint,
  endNs: bigint,
): (readonly Line[])[] {
  const starts = (branchesAt.get(startNs) ?? []).filter((row) => lines[row]?.target === `${fn}+0x0`);
  return starts.flatMap((start) => {
    const open = [(lines[start] as Line).from];
    for (let row = start + 1; (lines[row]?.ns ?? endNs + 1n) <= endNs; row++) {
      const { isBranch, from, to, target, ns } = lines[row] as Line;
      const caller = open.at(-1) as bigint;
      if (isBranch && to > caller && to <= caller + 15n) open.pop();
      else if (isBranch && target.endsWith('+0x0')) open.push(from);
      if (open.length === 0) return ns === endNs ? [lines.slice(start + 1, row + 1)] : [];
    }
    return [];
  });
}

/** How often its hottest jump backward was taken. */
function iterationsOf(lines: readonly Line[], fn: string): number {
  const counts = new Map<bigint, number>();
  lines.forEach((line, row) => {
    const next = lines[row + 1];
    if (next === undefined || [line, next].some(({ isBranch, target }) => isBranch || !target.startsWith(`${fn}+`)))
      return;
    if (next.to <= line.to) counts.set(line.to, (counts.get(line.to) ?? 0) + 1);
  });
  return Math.max(0, ...counts.values());
}

test.each([
  ['loop', 'iteration', 300, 300],
  ['loop-mtc', 'iteration', 300, 100], // of the others, several begin in one tick
  ['loop', 'walk', 300, 100], // calls itself
  ['cpus-4', 'nap', 14, 14], // sleeps, and wakes on another CPU
  ['cpus-1', 'nap', 14, 14],
  ['noise', 'nap', 14, 14], // interrupts and preemptions
])('%s: %s', async (name, fn, slowest, atLeast) => {
  const encoded = await encodedOf(recordingPath(name), RECORDED_ROOT, 'leaving');
  const { calls, profile } = await askLatency([encoded], { functions: fn, slowest }, ALONE);
  const threads = linesOfPerf(name);
  let counted = 0;
  for (const { tid, startNs, durationNs, counts } of calls.slowest) {
    if (!counts) continue;
    counted++;
    const from = profile.meta.originNs + BigInt(startNs);
    const own = linesOfCalls(threads.get(tid) ?? NO_LINES, fn, from, from + BigInt(durationNs));
    const instructions = own.map((lines) => lines.filter(({ isBranch }) => !isBranch).length);
    expect(new Set(instructions), `thread ${tid} at ${startNs}`).toEqual(new Set([counts.instructions]));
    expect(new Set(own.map((lines) => iterationsOf(lines, fn)))).toEqual(new Set([counts.iterations]));
    if (name === 'loop-mtc')
      expect(counts.cycles).toBeNull(); // perf estimates them from times
    else expect(counts.cycles).toBe(own[0]?.reduce((sum, { isBranch, cycles }) => sum + (isBranch ? 0 : cycles), 0));
  }
  expect(counted).toBeGreaterThanOrEqual(atLeast);
});

test('the frequency is that of the time of a call', async ({ dir }) => {
  const bytes = readFileSync(recordingPath('loop'));
  const packets: number[] = [];
  for (let at = bytes.indexOf(CBR_30); at >= 0; at = bytes.indexOf(CBR_30, at + 1)) packets.push(at);
  const ofLastCpu = packets.slice(-Math.floor(packets.length / 4));
  for (const at of ofLastCpu.slice(ofLastCpu.length >> 1)) bytes[at + 2] = 15;
  const path = await dir.write('slower.data', bytes);
  const encoded = await encodedOf(path, RECORDED_ROOT, 'leaving');
  const { calls } = await askLatency([encoded], { functions: 'iteration', slowest: 700 }, ALONE);
  const known = calls.slowest.flatMap(({ counts }) => counts?.mhz ?? []);
  const rounded = new Set(known.map(({ min, mean }) => `${Math.round(min)} ${Math.round(mean)}`));
  expect(rounded).toContain('3000 3000');
  expect(rounded).toContain('1500 1500');
  for (const { min, mean } of known) expect(min <= mean + 1 && min >= 1499 && mean <= 3001).toBe(true);
});

test('nothing is counted where two recordings have the thread', async () => {
  const both = await Promise.all(
    ['loop', 'loop-mtc'].map((name) => encodedOf(recordingPath(name), RECORDED_ROOT, 'leaving')),
  );
  const { calls } = await askLatency(both, { functions: 'iteration', slowest: 700 }, ALONE);
  const during = calls.slowest.filter(({ tid, startNs }) => tid === 5000 && startNs < 678_916_000); // in both
  expect(during.length).toBeGreaterThan(20);
  expect(during.filter(({ counts }) => counts !== undefined)).toEqual([]);
});
