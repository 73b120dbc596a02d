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
const PSB = Buffer.from('0282'.repeat(8), 'hex');
const TSC = 0x19;
/** Between the clock of records and that of the trace. */
const SLACK_S = 0.0011;
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

test.for(['loop', 'cpus-1'])(
  'no time of %s is later than its end, whichever bit of a TSC is flipped',
  async (name, { dir }) => {
    const whole = takeApart(readFileSync(recordingPath(name)));
    const path = dir.file('flipped.data');
    const intact = await decode(recordingPath(name));
    const [lastS, events] = [endOf(intact) + SLACK_S, eventsOf(intact)];
    const kept: number[] = [];
    for (const [row, raw] of whole.records.entries())
      for (const bit of tscBits(raw.trace)) {
        const records = whole.records.with(row, { ...raw, trace: flipped(raw.trace, bit) });
        writeFileSync(path, putTogether({ ...whole, records }));
        const decoded = await decode(path);
        expect(endOf(decoded), `record ${row}, bit ${bit}`).toBeLessThan(lastS);
        kept.push(shared(events, eventsOf(decoded)));
      }
    expect(kept.length).toBeGreaterThan(40);
    expect(kept.reduce((sum, share) => sum + share, 0) / kept.length).toBeGreaterThan(0.8);
  },
);

/** Every fifth bit of the times in PSB+. */
function tscBits(trace: Buffer): number[] {
  const bits: number[] = [];
  for (let at = trace.indexOf(PSB); at !== -1; at = trace.indexOf(PSB, at + 1)) {
    const tsc = trace.indexOf(TSC, at + PSB.length);
    for (let bit = at % 5; bit < 56; bit += 5) bits.push(8 * (tsc + 1) + bit);
  }
  return bits;
}

function endOf({ events }: RecordingLines): number {
  return Math.max(...[...events.values()].flat().map((line) => Number(TIME.exec(line)?.[0])));
}

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
