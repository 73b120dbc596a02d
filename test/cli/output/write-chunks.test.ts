/**
 * Texts are joined on their way out; an output that cannot be written to its end closes what makes it.
 */
import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { writeChunks } from '../../../cli/output/write-chunks.js';

test('texts are joined, bytes stay in their place, and the source is closed when writing fails', async () => {
  const written: string[] = [];
  let isClosed = false;
  function* chunks() {
    try {
      yield* ['a', 'b', Buffer.from('1'), 'c', '', Buffer.from('2'), Buffer.from('3'), 'd'];
    } finally {
      isClosed = true;
    }
  }
  const to = new Writable({
    write(chunk, _encoding, done) {
      written.push(String(chunk));
      done();
    },
  });
  await writeChunks(chunks(), to, 'x', { end: true });
  expect(written).toEqual(['ab', '1', 'c', '2', '3', 'd']);
  expect(isClosed).toBe(true);
  isClosed = false;
  const full = new Writable({ write: (_chunk, _encoding, done) => done(new Error('full')) });
  await expect(writeChunks(chunks(), full, 'x', { end: true })).rejects.toThrow('cannot write x');
  expect(isClosed).toBe(true);
});
