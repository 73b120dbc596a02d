/**
 * What a profile says about itself: its version, where and when it was recorded, what its colours and markers mean, and
 * what it does not have.
 */
import type { LongestCalls } from '../../model/calls/call-events.js';
import type { Profile } from '../../model/profile/profile.js';
import type { Nanoseconds } from '../../model/units.js';
import { PTFLAME_VERSION } from '../../model/version.js';
import { qualitySummary } from '../../render/quality-summary.js';
import { shellWords, visibleText } from '../../render/visible-text.js';
import { leftOutText } from '../left-out.js';
import { wallClock } from '../recorded-at.js';
import { categories } from './categories.js';
import { markerSchema } from './markers.js';

/**
 * The first version in which threads share their tables; later versions of the profiler upgrade it
 * (https://github.com/firefox-devtools/profiler, docs-developer/CHANGELOG-formats.md).
 */
const PROCESSED_VERSION = 60;
/** Of the format that Firefox itself writes, at that time; not used. */
const GECKO_VERSION = 32;

const NS_PER_MS = 1_000_000n;
/** The shortest time between two samples, in ms: the profiler zooms in no further. */
const INTERVAL_MS = 1e-6;

/** Times count from `zeroNs`; without a date, that is in 1970. */
export function metaOf(profile: Profile, longestCalls: LongestCalls, zeroNs: Nanoseconds): object {
  const { recorded } = profile.meta;
  return {
    version: GECKO_VERSION,
    preprocessedProfileVersion: PROCESSED_VERSION,
    product: 'ptflame',
    importedFrom: `ptflame ${PTFLAME_VERSION}`,
    startTime: inMs(wallClock(profile.meta)?.(zeroNs) ?? 0n),
    interval: INTERVAL_MS,
    sampleUnits: { time: 'ms', eventDelay: 'ms', threadCPUDelta: 'ns' },
    processType: 0,
    stackwalk: 1,
    symbolicated: true,
    usesOnlyOneStackType: true,
    sourceCodeIsNotOnSearchfox: true,
    categories,
    markerSchema,
    ...(recorded?.cpu && { CPUName: visibleText(recorded.cpu) }),
    ...(recorded?.kernel && { oscpu: visibleText(`Linux ${recorded.kernel}`) }),
    ...(recorded?.command && { arguments: shellWords(recorded.command) }),
    extra: [{ label: 'ptflame', entries: entriesOf(profile, longestCalls) }],
  };
}

/** A date in nanoseconds has more digits than a number. */
function inMs(ns: bigint): number {
  return Number(ns / NS_PER_MS) + Number(ns % NS_PER_MS) / Number(NS_PER_MS);
}

function entriesOf(profile: Profile, longestCalls: LongestCalls): object[] {
  const { line, damage, warnings, notes } = qualitySummary(profile);
  const entries: readonly (readonly [label: string, value: string | null])[] = [
    ['Left out', leftOutText(longestCalls)],
    ['Selected', profile.meta.part],
    ['Recorded', line],
    ...[...damage, ...warnings].map((text) => ['Warning', text] as const),
    ...notes.map((text) => ['Note', text] as const),
  ];
  return entries.flatMap(([label, value]) =>
    value === null ? [] : [{ label, format: 'string', value: visibleText(value) }],
  );
}
