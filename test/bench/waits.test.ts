/**
 * Checks that the trace of the benchmark of waits is as its recipe claims.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { type GeneratedWaits, generateWaits, type WaitsRecipe } from '../../bench/waits/generator/generate.js';
import { askRequests } from '../../src/questions/requests/ask-requests.js';
import { askWaits, type WaitsResult } from '../../src/questions/waits/ask-wait-summary.js';
import { reasonName } from '../../src/waits/reason.js';
import { inputOf } from '../helpers/traces/load.js';

const RECIPE: WaitsRecipe = { seed: 1, waits: 3000, threads: 12, cpus: 3 };

describe('the trace of a server', () => {
  let text: Buffer;
  let made: GeneratedWaits;
  let answer: WaitsResult;

  beforeAll(async () => {
    ({ text, ...made } = generated(RECIPE));
    answer = await askWaits([inputOf(text)], {});
  });

  test('has the same bytes for the same seed, others for another seed', () => {
    expect(generated(RECIPE).text.equals(text)).toBe(true);
    expect(generated({ ...RECIPE, seed: 2 }).text.equals(text)).toBe(false);
  });

  test('has the reported size, and is ordered by time', () => {
    const rows = text.toString('latin1').trimEnd().split('\n');
    expect(rows).toHaveLength(made.lines);
    expect(text).toHaveLength(made.bytes);
    const times = rows.map((row) => row.slice(12, 27));
    expect(times).toEqual([...times].sort());
  });

  test('is read without damage, and no time is lost', () => {
    const { profile } = answer;
    expect(profile?.quality).toMatchObject({ lines: made.lines, damagedLines: 0, lostNs: 0 });
    expect(profile?.threads).toHaveLength(RECIPE.threads);
  });

  test('has as many waits as asked for, of several reasons, preempted ones among them', () => {
    const { stats, reasons } = answer;
    expect(stats.waits).toBe(made.waits);
    expect(stats.waits - stats.openWaits).toBeGreaterThanOrEqual(RECIPE.waits - 1);
    const names = reasons.filter((row) => row.stats.blockedNs > 0).map(({ reason }) => reason);
    expect(names).toEqual(expect.arrayContaining(['mutex', 'condition', 'semaphore', 'poll', 'fsync']));
    expect(stats.preemptedNs).toBeGreaterThan(0);
    const unknown = reasons.find(({ reason }) => reason === 'switches missing');
    expect(unknown?.stats.waits ?? 0).toBeLessThanOrEqual(2); // of threads that began with the recording
  });
});

test('hands each request from the thread that serves it to the one that does the work', async () => {
  const { text, requests } = generated(RECIPE);
  const flows = [{ push: 'queue_push:job', pop: 'run_job:job' }];
  const found = await askRequests([inputOf(text)], { root: 'serve_request', flows });
  expect(found.requests.stats).not.toBeNull();
  expect(found.requests.requests - found.requests.cut).toBe(requests);
  expect(found.requests.joined.byKey).toBeGreaterThanOrEqual(requests);
  expect(found.requests.joined).toMatchObject({ byOrder: 0, byWaking: 0, forNoRequest: 0, notJoined: 0 });
});

test('requests that keys join know who ended their waits, and where', async () => {
  const { text } = generated(RECIPE);
  const flows = [{ push: 'queue_push:job', pop: 'run_job:job' }];
  const { requests, profile } = await askRequests([inputOf(text)], { root: 'serve_request', flows, slowest: 20 });
  const waits = requests.details.flatMap(({ parts }) =>
    parts.flatMap(({ spans }) => spans.flatMap(({ wait }) => wait ?? [])),
  );
  const replies = waits.filter(({ reason, waker }) => reasonName(reason) === 'semaphore' && waker !== null);
  expect(replies.length).toBeGreaterThan(5);
  const placesOf = new Set(replies.map(({ wakerPlace }) => profile.symbols.name[wakerPlace.symbol]));
  expect(placesOf).toEqual(new Set(['run_job']));
});

function generated(recipe: WaitsRecipe): GeneratedWaits & { text: Buffer } {
  const pieces: Uint8Array[] = [];
  const made = generateWaits(recipe, (bytes) => pieces.push(Buffer.from(bytes)));
  return { ...made, text: Buffer.concat(pieces) };
}
