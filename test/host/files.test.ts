import { expect, test, vi } from 'vitest';
import { mount, openPath, piecesOf } from '../../src/host/browser/files.js';

vi.stubGlobal('self', { name: '' });

const BYTES = Uint8Array.from({ length: 300_000 }, (_, at) => (at * 7919) >> 8);

test('a dropped file is read in order, into memory that is used again', async () => {
  mount('/trace.txt', new Blob([BYTES]));
  const file = openPath('/trace.txt');
  expect(file.isFasterInOrder).toBe(true);
  const lengths: number[] = [];
  const copies: Uint8Array[] = [];
  let before: Uint8Array | null = null;
  for await (const piece of file.stream(50_000)) {
    expect(before?.byteLength ?? 0).toBe(0); // its memory is that of this piece
    before = piece;
    lengths.push(piece.length);
    copies.push(piece.slice());
  }
  expect(Math.max(...lengths)).toBeLessThanOrEqual(50_000);
  expect(Buffer.concat(copies).equals(Buffer.from(BYTES))).toBe(true);
});

test('whoever stops reading ends the stream, and its failure is told', async () => {
  let isCancelled = false;
  const stream = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(8)),
    cancel: () => {
      isCancelled = true;
    },
  });
  for await (const piece of piecesOf(stream)) if (piece.length === 8) break;
  expect(isCancelled).toBe(true);
  const broken = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new Error('gone')) });
  await expect(async () => {
    for await (const _ of piecesOf(broken));
  }).rejects.toThrow('gone');
});

test('a browser that always uses new memory reads it, too', async () => {
  const blob = new Blob([BYTES]);
  const plain = Object.assign(blob, { stream: () => blob.slice().stream().pipeThrough(new TransformStream()) });
  mount('/plain.txt', plain);
  const copies: Uint8Array[] = [];
  for await (const piece of openPath('/plain.txt').stream(50_000)) copies.push(piece);
  expect(Buffer.concat(copies).equals(Buffer.from(BYTES))).toBe(true);
});
