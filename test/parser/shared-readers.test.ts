/**
 * Readers that share a memory, in one thread and in several at once: all of them find the same branches.
 */
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { PtflameError } from '../../src/model/errors.js';
import { BRANCH_COLUMNS, Branch, End, type KnownBranches } from '../../src/parser/known-branches.js';
import { LINE_COLUMNS, Line, LineReader } from '../../src/parser/line-reader.js';
import { newReaderMemory } from '../../src/parser/reader-module.js';
import type { SharedMemory } from '../../src/wasm/module.js';

const BUILT = new URL('../../dist/src/parser/line-reader.js', import.meta.url).href;
/** More than the tables hold at first: they grow while others search them. */
const BRANCHES = 24_000;
const PIECES = 40;
const WORKERS = 4;

/** Every seventh end has no offset, which only the reference parser reads. */
function lineOf(number: number): string {
  const from = `${(0x400000 + 16 * number).toString(16)} caller_${number % 5000}+0x${(number % 77).toString(16)}`;
  const to = `${(0x800000 + 16 * (number % 9000)).toString(16)} callee_${number % 9000}${number % 7 === 0 ? '' : '+0x0'}`;
  return `77 [003] 858572.850211120:   call                ${from} =>           ${to}\n`;
}

const lines = Array.from({ length: BRANCHES }, (_, number) => lineOf(number));
const pieces = Array.from({ length: PIECES }, (_, piece) =>
  Buffer.from(lines.filter((_, number) => number % PIECES === piece).join('')),
);

/** Returns the numbers of the branches of all lines. */
function branchesOf(reader: LineReader, order: readonly number[]): Int32Array {
  const branches = new Int32Array(BRANCHES);
  for (const piece of order) {
    const { length, rows } = reader.read(pieces[piece]);
    for (let row = 0; row < length; row++) branches[row * PIECES + piece] = rows[row * LINE_COLUMNS + Line.Branch];
  }
  return branches;
}

/** Returns the line, up to blanks, by the number of its branch. */
function textOf(known: KnownBranches, branch: number): string {
  const at = BRANCH_COLUMNS * branch;
  return `${endOf(known, at + Branch.From)} => ${endOf(known, at + Branch.To)}`;
}

function endOf(known: KnownBranches, at: number): string {
  const { rows } = known;
  const symbol = rows[at + End.Symbol];
  if (symbol < 0) return known.text('texts', ~symbol);
  const offset = rows[at + End.Address] - rows[at + End.Start];
  return `${rows[at + End.Address].toString(16)} ${known.text('symbols', symbol)}+0x${offset.toString(16)}`;
}

function expectAllKnown(known: KnownBranches, branches: Int32Array): void {
  known.update();
  lines.forEach((line, number) => {
    const expected = line
      .slice(line.indexOf('call') + 4)
      .trim()
      .replace(/ +/g, ' ');
    if (textOf(known, branches[number]) !== expected) expect(textOf(known, branches[number])).toBe(expected);
  });
}

const forwards = pieces.map((_, piece) => piece);

test('a reader knows what another one has read', () => {
  const memory = newReaderMemory();
  const [first, second] = [new LineReader(memory), new LineReader(memory)];
  const branches = branchesOf(first, forwards);
  const again = branchesOf(second, forwards.toReversed());
  expectAllKnown(second.branches, branches);
  expectAllKnown(first.branches, again);
  for (let number = 0; number < BRANCHES; number++) if (number % 7 !== 0) expect(again[number]).toBe(branches[number]);
});

test('a reader without memory refuses to read, and so do all others', () => {
  const memory = newReaderMemory(40);
  const [first, second] = [new LineReader(memory), new LineReader(memory)];
  second.read(Buffer.from(lines.slice(0, 600).join(''))); // it has space for its text and lines from now on
  expect(() => branchesOf(first, forwards)).toThrow(PtflameError);
  expect(() => second.read(Buffer.from(lines.slice(-300).join('')))).toThrow(PtflameError);
});

test('after a reader has failed, none adds to the tables, even if they have space', () => {
  const memory = newReaderMemory(40);
  const [first, second] = [new LineReader(memory), new LineReader(memory)];
  second.read(Buffer.from(lines.slice(0, 600).join('')));
  expect(() => branchesOf(first, forwards)).toThrow(PtflameError);
  const [caller, callee] = [1, 2].map((number) => lines[number].split('=>'));
  const known = Buffer.from(lines[1]);
  const added = Buffer.from([caller[0], callee[1]].join('=>')); // a new branch between known ends
  expect(second.read(known).length).toBe(1);
  expect(() => second.read(added)).toThrow(PtflameError);
});

test('readers in several workers find the same branches at the same time', async () => {
  const reader = new LineReader();
  const gate = new Int32Array(new SharedArrayBuffer(4));
  const orders = Array.from({ length: WORKERS }, (_, worker) => (worker % 2 ? forwards.toReversed() : forwards));
  const workers = orders.map((order) => inWorker(reader.memory, order, gate));
  const results = await Promise.all(workers);
  for (const branches of results) expectAllKnown(reader.branches, branches);
  const [first, ...others] = results;
  for (const other of others)
    expect(other.filter((branch, number) => number % 7 !== 0 && branch !== first[number])).toHaveLength(0);
});

/** Reads all pieces in a worker, as soon as all workers have reached the gate. */
function inWorker(memory: SharedMemory, order: readonly number[], gate: Int32Array): Promise<Int32Array> {
  const workerData = { memory, order, gate, pieces, branches: BRANCHES, built: BUILT, workers: WORKERS };
  const worker = new Worker(IN_WORKER, { eval: true, workerData });
  return new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
}

/** `branchesOf` as a script. */
const IN_WORKER = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { memory, order, gate, pieces, built } = workerData;
  import(built).then(({ LineReader }) => {
    const reader = new LineReader(memory);
    const branches = new Int32Array(workerData.branches);
    Atomics.add(gate, 0, 1);
    while (Atomics.load(gate, 0) < workerData.workers);
    for (const piece of order) {
      const { length, rows } = reader.read(pieces[piece]);
      for (let row = 0; row < length; row++)
        branches[row * pieces.length + piece] = rows[row * ${LINE_COLUMNS} + ${Line.Branch}];
    }
    parentPort.postMessage(branches);
  });
`;
