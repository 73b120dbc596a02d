/**
 * Flips bits in the trace of recordings: both decoders give the same profile.
 */
import { readFileSync } from 'node:fs';
import { assert } from 'vitest';
import { test } from '../helpers/cli/run-cli.js';
import { expectEqual } from '../helpers/kinds/expect-equal.js';
import { recordingPath } from '../helpers/perf/perf.js';
import { takeApart } from '../helpers/perf/rewrite.js';
import { needs } from '../tools/needs.js';

needs('perf');

/** Other threads run before all bits of a packet are used, with other code or none. */
test.for([
  ['loop-1', 15, 2075, 0],
  ['loop', 50, 51, 7],
  ['mtc-only', 120, 1388, 2],
  ['noise', 195, 544, 4],
] as const)(
  '%s with a bit flipped gives the profile that perf gives: record %i, byte %i, bit %i',
  async ([name, row, byte, bit], { dir }) => {
    const recording = takeApart(readFileSync(recordingPath(name)));
    const raw = recording.records[row];
    assert(raw !== undefined && raw.trace.length > byte);
    const trace = Buffer.from(raw.trace.map((old, at) => (at === byte ? old ^ (1 << bit) : old)));
    await expectEqual(dir, { ...recording, records: recording.records.with(row, { ...raw, trace }) });
  },
);
