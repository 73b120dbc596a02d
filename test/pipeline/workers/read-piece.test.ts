import { expect, test } from 'vitest';
import { utf8Bytes } from '../../../src/codec/bytes.js';
import { readLines } from '../../../src/pipeline/read/read-piece.js';
import { Moved } from '../../../src/pipeline/workers/workers.js';

const line = (ns: number) => `a 1/1 [000] 1.00000000${ns}:   call   1 main+0x0 (/a) => 2 f+0x0 (/a)\n`;
const LINES = utf8Bytes([1, 3, 8].map(line).join(''));

test('a worker that shares no memory gives back what it was sent, with the events in it', () => {
  const events = new Int32Array(100);
  const bytes = LINES.slice();
  const read = readLines({ originSeconds: 1, events, memory: null, bytes });
  if (!(read instanceof Moved)) throw new Error('it was copied');
  const { piece, sent } = read.data;
  expect(sent?.events).toBe(events);
  expect(sent?.text).toBe(bytes);
  expect(read.moved).toEqual(expect.arrayContaining([events.buffer, bytes.buffer]));
  const length = piece?.branches?.length ?? 0;
  expect(length).toBeGreaterThan(2);
  expect(events.subarray(length).every((number) => number === 0)).toBe(true);
  expect([...events.subarray(0, length)]).toEqual([-1, 0, 0, 0x3ff00000, 0, 2]); // a whole time, 1 ns, and a step
  expect(piece?.branches?.events.length).toBe(0);
});

test('events that do not fit are read again elsewhere', () => {
  const events = new Int32Array(1);
  const read = readLines({ originSeconds: 1, events, memory: null, bytes: LINES.slice() });
  expect(read instanceof Moved && read.data.piece).toBeNull();
  expect(read instanceof Moved && read.data.sent?.events).toBe(events);
});
