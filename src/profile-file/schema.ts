/**
 * The zod schema of a profile file: its shape, also for programs that read the JSON. Reading checks that the numbers are consistent.
 */
import * as z from 'zod';
import { DOUBT_NAMES } from '../model/calls/doubts.js';
import { MAX_OTHER_EVENTS } from '../model/sample-table.js';
import { FORMAT, KIND_NAMES, type KindName, VERSION } from './format.js';

const wholeNumber = z.number().refine(Number.isInteger, 'expected a whole number');
const count = wholeNumber.min(0);
/** A time or a duration: what differs by less than a nanosecond cannot be told apart above. */
const ns = wholeNumber.min(-(2 ** 53)).max(2 ** 53);

/** A column is checked at once, as it may have millions of values. Our own reader passes columns as typed arrays. */
const listOf = <List>(isValue: (value: unknown) => boolean, what: string) =>
  z.custom<List>((list) => (Array.isArray(list) ? list.every(isValue) : isTyped(list, isValue)), `expected ${what}`);

/** A null in a typed array is NaN, which reading refuses as it is not a whole number. */
function isTyped(list: unknown, isValue: (value: unknown) => boolean): boolean {
  return list instanceof Float64Array && isValue(0);
}

const isNumber = (value: unknown) => typeof value === 'number';
const isText = (value: unknown) => typeof value === 'string';
const isKind = (value: unknown) => KIND_NAMES.some((name) => name === value);

const texts = listOf<readonly string[]>(isText, 'a list of texts');
const kinds = listOf<readonly KindName[]>(isKind, `a list of ${KIND_NAMES.join(', ')}`);
const column = listOf<ArrayLike<number>>(isNumber, 'a list of numbers');
const columnWithNulls = listOf<ArrayLike<number | null>>(
  (value) => value === null || isNumber(value),
  'a list of numbers and nulls',
);

/** A list whose length is checked before its items. */
const few = <Schema extends z.ZodType>(schema: Schema, most: number) =>
  z.array(z.unknown()).max(most, `expected at most ${most} rows`).pipe(z.array(schema));

const nullableText = z.string().nullable();
const RecordedPart = z.object({
  host: nullableText,
  kernel: nullableText,
  cpu: nullableText,
  perf: nullableText,
  command: z.array(z.string()).nullable(),
  startedAt: nullableText,
  withoutBuildId: z.array(z.string()).optional(), // absent: none
});

export const MetaPart = z.object({
  originNs: z.string().regex(/^-?\d{1,40}$/, 'expected a whole number, as text'),
  startNs: ns,
  endNs: ns,
  firstNs: z.number().optional(), // absent: startNs
  scope: z.enum(['user', 'user+kernel']),
  weight: z.enum(['ns', 'calls']),
  isBlockedTime: z.literal(true).optional(), // absent: times of threads
  hasSwitches: z.boolean().optional(), // absent: unknown
  showsJumps: z.literal(true).optional(), // absent: no, or unknown
  part: z.string().optional(), // absent: the whole trace
  recorded: RecordedPart.optional(), // absent: unknown
  merged: z.object({ recordings: count, by: z.enum(['comm', 'host', 'build']) }).optional(), // absent: one trace
});

export const SymbolsPart = z.object({
  name: texts,
  kind: kinds,
  dso: column,
  dsoName: texts,
  // absent: unknown
  file: column.optional(),
  line: column.optional(),
  fileName: texts.optional(),
});

export const ThreadPart = z.object({
  tid: wholeNumber,
  pid: wholeNumber.nullable(),
  comm: z.string().nullable(),
  startNs: ns,
  endNs: ns,
  hiddenNs: count,
  tree: z.object({
    parent: column,
    symbol: column,
    calls: column,
    inferredCalls: column,
    selfNs: column,
    inferredNs: column,
    unwoundCalls: column,
    completeNs: column,
    longestCutNs: column,
    minNs: columnWithNulls,
    maxNs: columnWithNulls,
    doubts: z.object({ node: column, doubt: column, ns: column }).optional(), // absent: nothing is inferred, or unknown why
  }),
  durations: z.object({ symbol: column, bucket: column, calls: column }).optional(), // absent: unknown
  resumptions: z.object({ stack: column, by: column, times: column }).optional(), // absent: none, or unknown
});
export type ThreadPart = z.infer<typeof ThreadPart>;

const gapSpan = { tid: wholeNumber, atNs: ns, lengthNs: count };
const errorWords = { message: z.string(), file: z.string().nullable() };

/** Inferred time by reason, only of those that occur. */
export const InferredBy = z.partialRecord(z.enum(DOUBT_NAMES), count);

export const QualityPart = z.object({
  lines: count,
  events: count,
  gapLines: count,
  ignoredLines: count,
  sampleLines: count.optional(), // absent: none
  otherSamples: few(z.object({ event: nullableText, samples: count }), MAX_OTHER_EVENTS + 1).optional(), // absent: none
  damagedLines: count,
  firstDamaged: few(z.object({ input: z.string(), line: count, text: z.string(), reason: z.string() }), 10),
  brokenInputs: few(z.object({ input: z.string(), reason: z.string() }), 2 ** 16),
  losses: few(
    z.object({
      cause: z.enum(['decode-error', 'unannounced', 'undecoded', 'others']),
      code: wholeNumber.nullable(),
      ...errorWords,
      gaps: count,
      lostNs: count,
      remedy: nullableText.optional(), // follows from the rest, as all remedies do
    }),
    65,
  ),
  gaps: few(
    z.discriminatedUnion('cause', [
      z.object({ ...gapSpan, cause: z.literal('decode-error'), code: wholeNumber, ...errorWords }),
      z.object({ ...gapSpan, cause: z.literal('unannounced') }),
      z.object({ ...gapSpan, cause: z.literal('undecoded'), file: z.string().nullable() }),
    ]),
    10_000,
  ),
  threadsCut: count,
  inferredCalls: z.object({
    OpenAtStart: count,
    OpenAtEnd: count,
    CutByGap: count,
    Unwound: count,
    HiddenJump: count,
  }),
  inferredEvents: count,
  clockSteps: count,
  codeNs: count.optional(), // absent: nothing was lost
  mendedHits: count.optional(), // absent: none
  leftOutCalls: count.optional(), // absent: none
  unknownFlags: few(z.string(), 100),
  unknownFlagLines: count,
  remedies: z
    .object({
      hiddenJumps: nullableText,
      switches: nullableText,
      inferredBy: z.partialRecord(z.enum(DOUBT_NAMES), nullableText).optional(),
    })
    .optional(),
  lostNs: count,
  inferredNs: count,
  hiddenNs: count,
  unknownNs: count,
  totalNs: count,
  inferredBy: InferredBy.optional(), // absent: unknown
});

const head = {
  format: z.literal(FORMAT),
  version: z.literal(VERSION),
  producer: z.object({ name: z.string(), version: z.string() }),
  meta: MetaPart,
  symbols: SymbolsPart,
  quality: QualityPart,
};

/** The file with unchecked threads: there may be many, and the first fault in one of them is enough. */
export const ProfileHead = z.object({ ...head, threads: z.array(z.unknown()) });

export const ProfileFile = z.object({ ...head, threads: z.array(ThreadPart) });
export type ProfileFile = z.infer<typeof ProfileFile>;
