/**
 * A decoder whose code and sites have become too large is replaced by a new one in the same memory.
 */
import { expect, test } from 'vitest';
import { newDecoderModule } from '../../src/decode/decoder-module.js';

test('a module takes the memory of the one before, and begins anew in it', () => {
  const start = (used?: ReturnType<typeof newDecoderModule>['memory']) =>
    newDecoderModule(
      () => 0,
      () => false,
      () => 0,
      used,
    );
  const first = start();
  const at = first.space(10_000_000);
  new Uint8Array(first.memory.buffer, at).fill(7);
  const bytes = first.memory.buffer.byteLength;
  const second = start(first.memory);
  expect(second.memory).toBe(first.memory);
  expect(second.space(10_000_000)).toBe(at);
  expect(new Uint8Array(second.memory.buffer, at).every((byte) => byte === 0)).toBe(true);
  expect(second.memory.buffer.byteLength).toBe(bytes);
});
