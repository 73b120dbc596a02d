/**
 * The time of a thread ends with its exit, not with the recording.
 */
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { analyze, renderFolded, traceStream } from '../../src/index.js';

const time = (ns: number) => `1.${String(ns).padStart(9, '0')}`;
const branch = (tid: number, ns: number, text: string) => `${tid} [000] ${time(ns)}:   ${text}`;
const record = (tid: number, ns: number, text: string) => `${tid} [000] ${time(ns)}: PERF_RECORD_${text}`;

const CALL = 'call                  401010 main+0x10 =>      402000 work+0x0';
const LAST_SYSCALL = 'tr end  syscall       402005 work+0x5 =>           0 [unknown]';
const START = 'tr strt                    0 [unknown] =>      402007 work+0x7';
const EXIT = 'EXIT(7:8):(7:7)';

/** Thread 8 runs from 100, and is in its last system call from 200; thread 7 runs until 1000. */
const TRACE = [
  branch(7, 0, CALL),
  branch(8, 100, CALL),
  branch(8, 200, LAST_SYSCALL),
  branch(7, 900, LAST_SYSCALL),
  branch(7, 1000, START),
];

async function timesOfThread8(records: readonly string[], extend = true): Promise<Record<string, number>> {
  const lines = [...TRACE, ...records].sort((a, b) => timeOf(a) - timeOf(b));
  const profile = await analyze([traceStream('text', Readable.from([Buffer.from(`${lines.join('\n')}\n`)]))], {
    select: { tids: [8] },
    extend,
    jobs: 1,
  });
  const folded = [...renderFolded(profile)].map((line) => line.trim().split(' '));
  return Object.fromEntries(folded.map(([path, ns]) => [path.replace('main;work', 'work'), Number(ns)]));
}

function timeOf(line: string): number {
  return Number(/ 1\.(\d+):/.exec(line)?.[1]);
}

describe('a thread in a system call', () => {
  test('waits to the end of the recording if its exit is unknown', async () => {
    expect((await timesOfThread8([]))['work;[syscall]']).toBe(800);
  });

  test('waits until its exit', async () => {
    expect((await timesOfThread8([record(8, 250, EXIT)]))['work;[syscall]']).toBe(50);
  });

  test('does not own the switch after its exit', async () => {
    const times = await timesOfThread8([record(8, 250, EXIT), record(8, 260, 'SWITCH OUT')]);
    expect(times).toMatchObject({ 'work;[syscall]': 50 });
    expect(Object.keys(times).join()).not.toContain('off-cpu');
  });

  test('owns a switch before its exit', async () => {
    const times = await timesOfThread8([record(8, 220, 'SWITCH OUT'), record(8, 250, EXIT)]);
    expect(times['work;[syscall];[off-cpu]']).toBe(30);
  });

  test('ignores an exit before one of its branches, which may be of another thread with the same tid', async () => {
    expect((await timesOfThread8([record(8, 150, EXIT)]))['work;[syscall]']).toBe(800);
  });

  test('waits if it is a new thread with a reused tid', async () => {
    const again = [record(8, 250, EXIT), record(7, 300, 'FORK(7:8):(7:7)')];
    expect((await timesOfThread8(again))['work;[syscall]']).toBe(800);
  });

  test('ignores the exit of another thread', async () => {
    expect((await timesOfThread8([record(7, 250, 'EXIT(7:9):(7:7)')]))['work;[syscall]']).toBe(800);
  });

  test('is not extended if that is disabled', async () => {
    expect((await timesOfThread8([record(8, 250, EXIT)], false))['work;[syscall]']).toBe(0);
  });
});
