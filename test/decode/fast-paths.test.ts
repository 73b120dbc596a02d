/**
 * What only makes decoding faster changes nothing: packets taken in a loop of their own, and walks that are repeated.
 */
import { describe, expect, test } from 'vitest';
import { placedPieces, randomCase, randomSettings } from '../../fuzz/pt/cases.js';
import { OwnDecoder } from '../../fuzz/pt/decode-own.js';
import { CODE_BASE, randomProgram } from '../../fuzz/pt/program.js';
import { Random } from '../../fuzz/random.js';
import type { DecodedPart } from '../../src/decode/parts.js';
import { partsOf } from '../../src/decode/parts.js';
import { openPath } from '../../src/host/files.js';
import { decodePlan } from '../../src/pipeline/decode/decode-plan.js';
import { RecordingDecoder } from '../../src/pipeline/decode/decode-task.js';
import { decodeContext, type EncodedRecording } from '../../src/pipeline/decode/encoded-recording.js';
import { encodedOf } from '../helpers/perf/both-decoders.js';
import { RECORDED_ROOT, RECORDINGS, recordingPath } from '../helpers/perf/perf.js';
import { times } from '../helpers/random/times.js';

/** All that a decoder finds in parts of some kilobytes: with its state at every mark. */
function found(encoded: EncodedRecording): DecodedPart[] {
  const file = openPath(encoded.path);
  const context = decodeContext(encoded, file.ref, decodePlan(encoded), 0n);
  const decoder = new RecordingDecoder(context);
  const parts = context.cpus.flatMap(({ trace }, cpu) =>
    [...partsOf(trace.streams, 3000)].map((part) => decoder.decode(cpu, part, new Int32Array())),
  );
  decoder.close();
  file.close();
  return parts;
}

describe.each(RECORDINGS)('%s', (name) => {
  test.each([
    ['calls and returns', false],
    ['every branch', true],
  ])('is decoded as without fast paths: %s', async (_, allBranches) => {
    const encoded = await encodedOf(recordingPath(name), RECORDED_ROOT, allBranches);
    expect(found(encoded)).toEqual(found({ ...encoded, isPlain: true }));
  });
});

const CASES = times(120);

/** Each case comes thrice: at the third time, what its packets do is known. */
test.each([1, 2, 3, 4, 5, 6, 7, 8])('random packets are decoded as without fast paths: program %i', (group) => {
  const random = new Random(17, group);
  const program = randomProgram(random, 20 + random.below(60));
  const settings = randomSettings(random);
  const files = [{ path: 'code', start: CODE_BASE, length: 4096 * 16, bytes: program.bytes }];
  const options = { settings, files, allBranches: group % 2 === 0 };
  const fast = new OwnDecoder(options);
  const plain = new OwnDecoder({ ...options, isPlain: true });
  for (let number = 0; number < CASES; number++) {
    const placed = placedPieces(randomCase(new Random(group, number), number, program, settings), 0);
    for (let time = 0; time < 3; time++) expect(fast.decode(placed)).toEqual(plain.decode(placed));
  }
});
