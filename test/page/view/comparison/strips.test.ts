/**
 * Tests what a comparison shows of both recordings over time.
 */
import { describe, expect, test } from 'vitest';
import { ACTIVITIES, type Timeline } from '../../../../src/model/profile/timeline.js';
import { readTimeline } from '../../../../src/page/browser/platform/decode.js';
import { profileOfBoth } from '../../../../src/page/contents/compared-profile.js';
import { STRIPS_ALONE, stripsOfBoth } from '../../../../src/page/contents/compared-strips.js';
import { timelinePieces } from '../../../../src/page/data/timeline-write.js';
import { pageDataPieces } from '../../../../src/page/data/write.js';
import { stripRows } from '../../../../src/page/view/columns.js';
import { Views } from '../../../../src/page/view/views.js';
import { analyzeOverTime } from '../../../../src/pipeline/analyze.js';
import { compareProfiles } from '../../../../src/render/diff/comparison.js';
import { readPageData } from '../../../helpers/browser/page-views.js';
import { fixture, inputOf } from '../../../helpers/traces/load.js';

const sideOf = (file: string) =>
  analyzeOverTime([inputOf(fixture(file))], { trees: 'together', durations: true, ...STRIPS_ALONE });
const before = await sideOf('demo/threads.perf.txt.gz');
const after = await sideOf('lab/demo-cre.txt');
const strips = stripsOfBoth(before.timeline, after.timeline) as Timeline;

/** Returns the time of each activity, as the mean of all threads. */
function meansOf({ threads }: Timeline): number[] {
  const sums = new Array<number>(ACTIVITIES).fill(0);
  for (const { strip } of threads)
    strip.forEach((ns, at) => {
      sums[at % ACTIVITIES] += ns / threads.length;
    });
  return sums;
}

describe('the strip of a recording', () => {
  test.each([
    [0, before.timeline],
    [1, after.timeline],
  ])('of side %i has the mean time of its threads', (side, own) => {
    const [thread] = strips.threads.slice(side);
    const shown = meansOf({ ...strips, threads: [thread as Timeline['threads'][number]] });
    const slices = (thread?.strip.length ?? 0) / ACTIVITIES;
    meansOf(own as Timeline).forEach((ns, activity) => {
      expect(Math.abs((shown[activity] as number) - ns)).toBeLessThanOrEqual(slices / 2); // rounded
    });
  });

  test('ends where the recording ends; the longer one fills the axis', () => {
    const durations = [before, after].map(({ timeline }) => timeline?.durationNs as number);
    expect(strips.durationNs).toBe(Math.max(...durations));
    for (const [side, { strip }] of strips.threads.entries()) {
      const end = Math.ceil((durations[side] as number) / strips.stripSliceNs);
      expect(strip.subarray(end * ACTIVITIES).some((ns) => ns > 0)).toBe(false);
    }
  });

  test('survives the file', () => {
    const read = readTimeline(Buffer.concat([...timelinePieces(strips)]));
    expect(read.threads.map(({ tid, strip }) => [tid, strip])).toEqual(
      strips.threads.map(({ tid, strip }) => [tid, strip]),
    );
  });
});

test('a page has two of them, as it is after above, without those of single threads', () => {
  const comparison = compareProfiles(before.profile, after.profile);
  const pieces = [...pageDataPieces(profileOfBoth(comparison), null, { scales: comparison.scales, per: null })];
  const views = new Views(readPageData(Buffer.concat(pieces)));
  const rows = stripRows(strips, views.data, views.threads);
  expect(rows.map(({ name, tid }) => [name, tid])).toEqual([
    ['after', 1],
    ['before', 0],
  ]);
});

test('of a profile nothing is known: the other recording is shown alone, or none', () => {
  expect(stripsOfBoth(null, after.timeline)?.threads.map(({ tid }) => tid)).toEqual([1]);
  expect(stripsOfBoth(null, null)).toBe(null);
});

test('strips alone have neither ranges nor calls', () => {
  const { sumsSliceNs, threads } = before.timeline as Timeline;
  expect(sumsSliceNs).toBe(null);
  expect(threads.every(({ sums, spans }) => sums === null && spans.levels.every(({ node }) => node.length === 0))).toBe(
    true,
  );
});
