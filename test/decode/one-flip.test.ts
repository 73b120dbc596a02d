/**
 * Flips single bits in the trace of a recording: each costs the spot where it is, not the recording.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'vitest';
import { ownLines, type RecordingLines } from '../../fuzz/damaged/own-lines.js';
import { openRecording } from '../../src/perfdata/open-recording.js';
import { unsupported } from '../../src/pipeline/decode/encoded-recording.js';
import { test } from '../helpers/cli/run-cli.js';
import { encodedOf } from '../helpers/perf/both-decoders.js';
import { RECORDED_ROOT, recordingPath } from '../helpers/perf/perf.js';
import { flipped, putTogether, takeApart } from '../helpers/perf/rewrite.js';

const FLIPS = 30;
const TIME = /\d+\.\d{9}/;

test('the rest is decoded, by ptflame itself, and the error is counted', { timeout: 60_000 }, async ({ dir }) => {
  const whole = takeApart(readFileSync(recordingPath('loop')));
  const bits = 8 * whole.records.reduce((sum, { trace }) => sum + trace.length, 0);
  const path = dir.file('flipped.data');
  const intact = eventsOf(await decode(recordingPath('loop')));
  const kept: number[] = [];
  let withErrors = 0;
  for (let bit = 5; bit < bits; bit += Math.floor(bits / FLIPS)) {
    let before = bit;
    const records = whole.records.map((raw) => {
      const trace = before >= 0 && before < 8 * raw.trace.length ? flipped(raw.trace, before) : raw.trace;
      before -= 8 * raw.trace.length;
      return { ...raw, trace };
    });
    writeFileSync(path, putTogether({ ...whole, records }));
    const recording = await openRecording(path);
    expect(unsupported(recording), `bit ${bit}`).toBeNull();
    const decoded = await decode(path);
    kept.push(shared(intact, eventsOf(decoded)));
    withErrors += Number(decoded.errors.length > 0);
  }
  expect(Math.min(...kept)).toBeGreaterThan(0.7); // each of four CPUs has one PSB or two
  expect(kept.reduce((sum, share) => sum + share, 0) / kept.length).toBeGreaterThan(0.95);
  expect(withErrors).toBeGreaterThan(FLIPS / 3);
});

async function decode(path: string): Promise<RecordingLines> {
  return ownLines(await encodedOf(path, RECORDED_ROOT, false));
}

/** How often each thread made each call and return on each CPU. */
function eventsOf({ events }: RecordingLines): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [cpu, lines] of events)
    for (const line of lines) {
      const event = `${cpu} ${line.replace(TIME, '')}`;
      counts.set(event, (counts.get(event) ?? 0) + 1);
    }
  return counts;
}

/** The share of the first events that are among the others, too. */
function shared(events: ReadonlyMap<string, number>, others: ReadonlyMap<string, number>): number {
  let all = 0;
  let both = 0;
  for (const [event, count] of events) {
    all += count;
    both += Math.min(count, others.get(event) ?? 0);
  }
  return both / all;
}
