/**
 * A decoder whose code and sites have become too large is replaced by a new one in the same memory.
 */
import { expect, test, vi } from 'vitest';
import { partsOf } from '../../src/decode/streams.js';
import { decodePlan } from '../../src/pipeline/decode/decode-plan.js';
import { RecordingDecoder } from '../../src/pipeline/decode/decode-task.js';
import { decodeContext } from '../../src/pipeline/decode/encoded-recording.js';
import { encodedOf } from '../helpers/perf/both-decoders.js';
import { RECORDED_ROOT, recordingPath } from '../helpers/perf/perf.js';

interface Memories {
  Memory: new (pages: { initial: number }) => { buffer: ArrayBuffer };
}

test('memory does not grow with the number of decoders', async () => {
  const memories = vi.spyOn((globalThis as unknown as { WebAssembly: Memories }).WebAssembly, 'Memory');
  const encoded = await encodedOf(recordingPath('cpus-1'), RECORDED_ROOT, false);
  const context = decodeContext({ ...encoded, codeBytes: 0 }, decodePlan(encoded), 0n);
  const decoder = new RecordingDecoder(context);
  const into = new Int32Array(1 << 20);
  const parts = [...partsOf(context.cpus[0]?.trace.streams ?? [], 4000)];
  const decoders = parts.filter((part) => decoder.decode(0, part, into).sites.first === 0);
  decoder.close();
  expect(decoders.length).toBeGreaterThan(2);
  expect(memories).toHaveBeenCalledTimes(1);
});
