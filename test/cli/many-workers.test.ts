/**
 * Results are the same for any number of workers: they make timelines and tables of threads at once, and what one of them
 * reaches depends on who is faster.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { execa } from 'execa';
import { expect } from 'vitest';
import { type Directory, expectRefusal, PROGRAM, ptflame, test } from '../helpers/cli/run-cli.js';

const THREADS = 12;
/** Enough for workers to replay them. */
const EVENTS_OF_THREAD = 20_000;
/** Names as long as those of C++ make the text so large, 52 MB, that workers read it. */
const LONG_NAME = 'x'.repeat(75);

/** Each thread calls functions, three deep, of which some take longer. */
function threadLines(tid: number): string {
  const functions = [1, 2, 3].map((depth) => `f${depth}`);
  const lines: string[] = [];
  let ns = 1_000_000 + tid;
  let random = tid;
  const event = (kind: string, from: string, to: string) => {
    random = (random * 1_103_515_245 + 12_345) % 2 ** 31;
    ns += 10 + (random % 90) * (random % 17 === 0 ? 40 : 1);
    const time = `5.${String(ns).padStart(9, '0')}`;
    lines.push(`${tid} [000] ${time}:   ${kind}   ${placeOf(from)} => ${placeOf(to)}`);
  };
  while (lines.length < EVENTS_OF_THREAD) {
    const depth = 1 + (random % functions.length);
    const stack = ['main', ...functions.slice(0, depth)];
    for (let at = 1; at <= depth; at++) event('call', stack[at - 1], stack[at]);
    for (let at = depth; at > 0; at--) event('return', stack[at], stack[at - 1]);
  }
  return `${lines.join('\n')}\n`;
}

function placeOf(name: string): string {
  return `${ADDRESSES[name]} ${name}${LONG_NAME}+0x0`;
}

const ADDRESSES: Record<string, string> = { main: '400000', f1: '401000', f2: '402000', f3: '403000' };

function writeTrace(dir: Directory): string {
  const input = dir.file('trace.txt');
  writeFileSync(input, Array.from({ length: THREADS }, (_, at) => threadLines(1000 + at)).join(''));
  return input;
}

test('neither the timeline nor the table of all calls depends on the number of workers', async ({ dir }) => {
  const input = writeTrace(dir);
  const files = ['page.html', 'calls.parquet'];
  const [alone, many] = await Promise.all(
    ['1', '4'].map(async (jobs) => {
      const paths = files.map((file) => dir.file(`${jobs}.${file}`));
      const args = ['--time-detail', '100K', '--title', 'same', '-j', jobs, ...paths.flatMap((path) => ['-o', path])];
      expect(await ptflame(['render', input, ...args])).toMatchObject({ exitCode: 0 });
      return paths.map((path) => readFileSync(path));
    }),
  );
  expect(alone[0].includes('id="timeline"')).toBe(true);
  expect(alone[1].length).toBeGreaterThan(THREADS * EVENTS_OF_THREAD);
  for (const [at, file] of files.entries()) expect(many[at].equals(alone[at]), file).toBe(true);
});

test('a worker without space for the table of all calls says so', async ({ dir }) => {
  const args = ['render', writeTrace(dir), '-j', '4', '-o', dir.file('x.parquet'), '--temp-dir', dir.path];
  const limited = ['-c', 'ulimit -f 200; exec "$@"', 'limited', process.execPath, PROGRAM, ...args];
  const { exitCode, stdout, stderr } = await execa('bash', limited, { reject: false, stripFinalNewline: false });
  expectRefusal({ exitCode, stdout, stderr }, 1, /cannot write to .*: .*ulimit -f/, /--temp-dir DIR/);
  expect(await dir.names()).toEqual(['trace.txt']);
});
