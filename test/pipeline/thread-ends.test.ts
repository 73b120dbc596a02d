/**
 * A thread that ended waits no longer: its time ends with it, not with the recording.
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

/** Thread 8 runs from 100, is in its last system call from 200 on; thread 7 goes on to 1000. */
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
  test('waits to the end of the recording, as far as is known', async () => {
    expect((await timesOfThread8([]))['work;[syscall]']).toBe(800);
  });

  test('waits to its own end', async () => {
    expect((await timesOfThread8([record(8, 250, EXIT)]))['work;[syscall]']).toBe(50);
  });

  test('the switch behind its end is not its own', async () => {
    const times = await timesOfThread8([record(8, 250, EXIT), record(8, 260, 'SWITCH OUT')]);
    expect(times).toMatchObject({ 'work;[syscall]': 50 });
    expect(Object.keys(times).join()).not.toContain('off-cpu');
  });

  test('a switch before its end is', async () => {
    const times = await timesOfThread8([record(8, 220, 'SWITCH OUT'), record(8, 250, EXIT)]);
    expect(times['work;[syscall];[off-cpu]']).toBe(30);
  });

  test('an end before a branch of it is no end, or that of another with its number', async () => {
    expect((await timesOfThread8([record(8, 150, EXIT)]))['work;[syscall]']).toBe(800);
  });

  test('a new thread of the same number waits', async () => {
    const again = [record(8, 250, EXIT), record(7, 300, 'FORK(7:8):(7:7)')];
    expect((await timesOfThread8(again))['work;[syscall]']).toBe(800);
  });

  test('the end of another thread is none', async () => {
    expect((await timesOfThread8([record(7, 250, 'EXIT(7:9):(7:7)')]))['work;[syscall]']).toBe(800);
  });

  test('nothing is extended if nobody wants it', async () => {
    expect((await timesOfThread8([record(8, 250, EXIT)], false))['work;[syscall]']).toBe(0);
  });
});
