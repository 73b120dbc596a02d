import { expect, test } from 'vitest';
import { CHUNK_LENGTH, EventMemory, runAt } from '../../src/trace/event-memory.js';
import { sentThread } from '../../src/trace/sent-thread.js';
import type { ThreadSource } from '../../src/trace/store-contents.js';

test('threads that are sent are copied into chunks that came back, whatever is left in them', () => {
  const memory = new EventMemory({ memoryBytes: 2 ** 26, directory: null });
  const [first, second] = [
    [1, CHUNK_LENGTH],
    [3, 2],
  ].map((lengths, thread) => {
    const runs = lengths.map((length) => new Int32Array(length).fill(10 * thread + 1));
    const addresses = runs.map((run) => memory.add(run));
    return { lanes: [[{ cpu: 0, input: 'a', addresses, lengths }]] } as unknown as ThreadSource;
  });
  const free: Int32Array<ArrayBuffer>[] = [];
  const sent = sentThread(first as ThreadSource, memory.shared(), free);
  expect(sent.chunks.map(({ length }) => length)).toEqual([CHUNK_LENGTH, CHUNK_LENGTH]);
  free.push(...sent.chunks);
  const { source, chunks } = sentThread(second as ThreadSource, memory.shared(), free);
  expect([...chunks, ...free].sort()).toEqual([...sent.chunks].sort());
  const [{ addresses, lengths }] = source.lanes[0] as unknown as [{ addresses: number[]; lengths: number[] }];
  const read = addresses.map((address, run) => [
    ...runAt({ ...memory.shared(), chunks }, address, lengths[run] as number),
  ]);
  expect(read).toEqual([
    [11, 11, 11],
    [11, 11],
  ]);
});
