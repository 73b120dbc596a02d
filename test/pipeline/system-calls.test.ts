/**
 * System calls of programs whose kernel is not traced have names where `raw_syscalls:sys_enter` was recorded.
 */
import { expect, test } from 'vitest';
import { renderFolded } from '../../src/index.js';
import { analyzeText } from '../helpers/traces/load.js';

/** `read` waits; another thread's sample lies within it. */
const head = (time: number, tid = 1) => `app 1/${tid} [000] 1.${String(time).padStart(9, '0')}:`;
const entry = (time: number, number: number, tid = 1) =>
  `${head(time, tid)} raw_syscalls:sys_enter: NR ${number} (3, 7ffe1c02b2d0, 400, 0, 0, 0)`;
const stop = (time: number) => `${head(time)} tr end  syscall 402010 work+0x10 => 0 [unknown]`;
const start = (time: number, to = '402012 work+0x12') => `${head(time)} tr strt  0 [unknown] => ${to}`;

async function folded(...lines: readonly string[]): Promise<string[]> {
  const begin = [start(1000, '401000 main+0x0'), `${head(2000)} call 401005 main+0x5 => 402000 work+0x0`];
  const end = [
    `${head(90_000)} return 402020 work+0x20 => 40100a main+0xa`,
    `${head(91_000)} jmp 401010 main+0x10 => 401000 main+0x0`,
  ];
  const profile = await analyzeText([...begin, ...lines, ...end, ''].join('\n'));
  return [...renderFolded(profile, { annotate: true })].join('').trimEnd().split('\n');
}

test('a stop is in the system call that was entered before the trace restarts behind it', async () => {
  const lines = [stop(3000), entry(3100, 0), entry(3200, 1, 2), start(5000), stop(6000), entry(5900, 424), start(9000)];
  expect(await folded(...lines)).toMatchInlineSnapshot(`
    [
      "main:1(1) 2000",
      "main:1(1);work:1,avg:88000 83000",
      "main:1(1);work:1,avg:88000;[pidfd_send_signal]:1,avg:3000 0",
      "main:1(1);work:1,avg:88000;[pidfd_send_signal]:1,avg:3000;[syscall]:1,avg:3000 3000",
      "main:1(1);work:1,avg:88000;[read]:1,avg:2000 0",
      "main:1(1);work:1,avg:88000;[read]:1,avg:2000;[syscall]:1,avg:2000 2000",
    ]
  `);
});

test('a stop keeps its name if no sample is in it, if the number has no name, or if a handler begins', async () => {
  const handler = [
    start(31_000, '403000 handler+0x0'),
    `${head(32_000)} tr end  syscall 403004 handler+0x4 => 0 [unknown]`,
  ];
  const lines = [
    entry(2900, 0),
    ...[stop(10_000), start(11_000)],
    ...[stop(20_000), entry(20_100, 400), start(21_000)],
  ];
  expect(await folded(...lines, stop(30_000), entry(30_100, 35), ...handler, start(33_000))).toMatchInlineSnapshot(`
    [
      "main:1(1) 2000",
      "main:1(1);work:1,avg:88000 83000",
      "main:1(1);work:1,avg:88000;[syscall]:3,avg:1000 3000",
      "main:1(1);work:1,avg:88000;handler:1,avg:2000 1000",
      "main:1(1);work:1,avg:88000;handler:1,avg:2000;[syscall]:1,avg:1000 1000",
    ]
  `);
});
