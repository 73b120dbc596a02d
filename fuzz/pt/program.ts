/**
 * Random code: blocks that end in every kind of branch, and whatever else may stand in a file.
 */
import type { Random } from '../random.js';
import { littleEndian } from './packets.js';

export const CODE_BASE = 0x40_0000;

/** What an instruction does, as far as a stream of packets must know. */
export type Flow = 'on' | 'jump' | 'call' | 'jcc' | 'return' | 'jump-indirect' | 'call-indirect' | 'far';

export interface Instruction {
  readonly address: number;
  readonly length: number;
  readonly flow: Flow;
  /** Of a direct branch. */
  readonly target: number;
}

export interface Program {
  readonly bytes: Uint8Array;
  readonly at: ReadonlyMap<number, Instruction>;
  /** Where blocks start. */
  readonly starts: readonly number[];
  readonly end: number;
}

/** Without a branch; some are invalid in 64-bit mode, for which perf knows a length. */
const STRAIGHT = [
  [0x90],
  [0x48, 0x89, 0xe5],
  [0x0f, 0x1f, 0x40, 0x00],
  [0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0],
  [0xc5, 0xf8, 0x77],
  [0x62, 0xf1, 0x7c, 0x48, 0x10, 0x00],
  [0xf3, 0x0f, 0x1e, 0xfa],
  [0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8],
  [0x66, 0x81, 0xc0, 1, 2],
  [0xf7, 0x00, 1, 2, 3, 4],
  [0x06],
  [0xd4, 0x0a],
  [0x82, 0xc0, 0x01],
  [0x0f, 0x0b],
  [0xf4],
  [0x0f, 0x38, 0xf6, 0xc0],
  [0x66, 0x0f, 0x3a, 0x0f, 0xc1, 0x04],
];
/** Ends of blocks without a target, and what each does; no far calls and returns, which perf takes for near ones. */
const INDIRECT: readonly (readonly [readonly number[], Flow])[] = [
  [[0xc3], 'return'],
  [[0xc3], 'return'],
  [[0xf3, 0xc3], 'return'],
  [[0xc2, 8, 0], 'return'],
  [[0xff, 0xe0], 'jump-indirect'],
  [[0x3e, 0xff, 0xe2], 'jump-indirect'],
  [[0xff, 0x25, 1, 2, 3, 4], 'jump-indirect'],
  [[0xff, 0xd0], 'call-indirect'],
  [[0x41, 0xff, 0x54, 0x24, 0x08], 'call-indirect'],
  [[0x0f, 0x05], 'far'],
  [[0x0f, 0x05], 'far'],
  [[0x0f, 0x34], 'far'],
  [[0x0f, 0x07], 'far'],
  [[0x0f, 0x35], 'far'],
  [[0xcc], 'far'],
  [[0xcd, 0x80], 'far'],
  [[0xce], 'far'],
  [[0xcf], 'far'],
  [[0x48, 0xcf], 'far'],
  [[0xff, 0x28], 'far'],
  [[0xea, 1, 2, 3, 4, 5, 6], 'far'],
  [[0x0f, 0x01, 0xc2], 'far'],
  [[0x0f, 0x01, 0xc3], 'far'],
];
/** No instruction has these bytes. */
const UNDECODABLE = [[0xc4, 0x00, 0x00, 0x00]];
const DIRECT: readonly Flow[] = ['jcc', 'jcc', 'jcc', 'jcc', 'call', 'call', 'jump'];

interface Block {
  readonly start: number;
  readonly straight: readonly (readonly number[])[];
  readonly last: readonly number[];
  readonly flow: Flow;
}

function randomBlock(random: Random, start: number): Block {
  const most = random.oneIn(60) ? 1500 : random.oneIn(8) ? 30 : 5;
  const straight = Array.from({ length: random.below(most) }, () => random.pick(STRAIGHT));
  if (random.oneIn(40)) return { start, straight, last: random.pick(UNDECODABLE), flow: 'on' };
  if (random.oneIn(3)) {
    const [last, flow] = random.pick(INDIRECT);
    return { start, straight, last, flow };
  }
  const flow = random.pick(DIRECT);
  if (flow === 'jcc')
    return {
      start,
      straight,
      last: random.pick([
        [0x74, 0],
        [0xe2, 0],
        [0xe3, 0],
        [0x0f, 0x85, 0, 0, 0, 0],
      ]),
      flow,
    };
  return {
    start,
    straight,
    last:
      flow === 'call'
        ? [0xe8, 0, 0, 0, 0]
        : random.pick([
            [0xe9, 0, 0, 0, 0],
            [0xeb, 0],
          ]),
    flow,
  };
}

function sizeOf({ straight, last }: Block): number {
  return straight.reduce((sum, { length }) => sum + length, last.length);
}

function targetOf(random: Random, blocks: readonly Block[], row: number, after: number, isShort: boolean): number {
  if (!isShort && random.oneIn(30)) return random.pick([CODE_BASE - 0x1000, CODE_BASE + 0x100_0000, after]);
  const near = isShort
    ? blocks.slice(Math.max(0, row - 6), row + 6)
    : random.oneIn(2)
      ? blocks.slice(row, row + 8)
      : blocks;
  const fits = near.filter(({ start }) => !isShort || Math.abs(start - after) < 120);
  return fits.length === 0 ? after : random.pick(fits).start + (random.oneIn(50) ? 1 : 0);
}

export function randomProgram(random: Random, count: number): Program {
  const blocks: Block[] = [];
  let end = CODE_BASE;
  for (let row = 0; row < count; row++) {
    const block = randomBlock(random, end);
    blocks.push(block);
    end += sizeOf(block);
  }
  const bytes: number[] = [];
  const at = new Map<number, Instruction>();
  const add = (code: readonly number[], flow: Flow, target: number) => {
    const address = CODE_BASE + bytes.length;
    at.set(address, { address, length: code.length, flow, target });
    bytes.push(...code);
  };
  blocks.forEach((block, row) => {
    for (const code of block.straight) add(code, 'on', 0);
    const { last, flow } = block;
    const after = CODE_BASE + bytes.length + last.length;
    if (flow !== 'jcc' && flow !== 'call' && flow !== 'jump') {
      add(last, flow, 0);
      return;
    }
    const width = last[0] === 0xe8 || last[0] === 0xe9 || last[0] === 0x0f ? 4 : 1;
    const target = targetOf(random, blocks, row, after, width === 1);
    add([...last.slice(0, last.length - width), ...littleEndian(BigInt(target - after), width)], flow, target);
  });
  return { bytes: Uint8Array.from(bytes), at, starts: blocks.map(({ start }) => start), end };
}
