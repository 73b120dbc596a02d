/**
 * Asks perf for the names at offsets of files: by a recording with a sample at each.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { number } from './elf-builder.js';

export interface Sampled {
  readonly path: string;
  readonly offsets: readonly number[];
  readonly bytes: number;
}

const BASE = 0x7f0000000000;
const MMAP = 1;
const SAMPLE = 9;
const USER = 2;

/** At an empty symbol, perf prints the negative distance from the start of the mapping. */
const AT_EMPTY = /\+0xffff[0-9a-f]{12}$/;

/** Returns `name+0x1f` or `[unknown]` for each offset, file by file. */
export function askPerf(recording: string, files: readonly Sampled[]): string[] {
  writeFileSync(recording, recordingOf(files));
  const args = ['script', '-i', recording, '-F', 'ip,sym,symoff'];
  const text = execFileSync('perf', args, { stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 2 ** 30 }).toString(
    'latin1',
  );
  return text
    .trimEnd()
    .split('\n')
    .map((line) =>
      line
        .replace(/^ *[0-9a-f]+ /, '')
        .trimEnd()
        .replace(AT_EMPTY, '+0x0'),
    );
}

function recordingOf(files: readonly Sampled[]): Buffer {
  let time = 1000;
  const records = files.flatMap(({ path, offsets, bytes }, index) => {
    const ids = [number(4, index + 100), number(4, index + 100)];
    const samples = offsets.map((offset) => record(SAMPLE, [number(8, BASE + offset), ...ids, number(8, ++time)]));
    const name = Buffer.from(`${path}\0`.padEnd(Math.ceil((path.length + 1) / 8) * 8, '\0'));
    return [record(MMAP, [...ids, number(8, BASE), number(8, bytes), number(8, 0), name]), ...samples];
  });
  const data = Buffer.concat(records);
  // A software event that samples address, thread and time.
  const fields = [1, 128]
    .map((value) => number(4, value))
    .concat([0, 1, 7, 0, 1 << 8].map((value) => number(8, value)));
  const attribute = Buffer.concat([...fields, Buffer.alloc(144)]).subarray(0, 144);
  const sections = [104, 144, 104, attribute.length, 104 + attribute.length, data.length, 0, 0];
  const header = Buffer.concat([
    Buffer.from('PERFILE2'),
    ...sections.map((value) => number(8, value)),
    Buffer.alloc(32),
  ]);
  return Buffer.concat([header, attribute, data]);
}

function record(type: number, parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([number(4, type), number(2, USER), number(2, body.length + 8), body]);
}
