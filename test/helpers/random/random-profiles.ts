/**
 * Random profiles that no trace could give: any trees, names and numbers, consistent or not.
 */
import fc from 'fast-check';
import type { CallTree, Profile, Quality, ThreadProfile, TraceMeta } from '../../../src/index.js';
import { CallTreeBuilder } from '../../../src/model/calls/call-tree.js';
import { BUCKETS, type FunctionDurations, mergeDurations } from '../../../src/model/calls/durations.js';
import { ResumptionCounter, type Resumptions } from '../../../src/model/calls/resumptions.js';
import type { TraceGap } from '../../../src/model/profile/profile.js';
import { SymbolTableBuilder } from '../../../src/model/symbol-table.js';
import { profileOfNames } from '../checks/files/profile-file.js';

const ns = fc.oneof(
  fc.constantFrom(0, 1, 2, 127, 128, 2 ** 31 - 1, 2 ** 31, 2 ** 52, 2 ** 53 - 1, 2 ** 53, 2 ** 62),
  fc.nat(300),
  fc.maxSafeNat(),
);
const time = fc.oneof(
  ns,
  ns.map((ns) => -1 - ns),
);
const calls = fc.oneof(fc.nat(3), ns);
const minNsOrNone = fc.oneof(ns, fc.constant(Number.POSITIVE_INFINITY));
const maxNsOrNone = fc.oneof(ns, fc.constant(Number.NEGATIVE_INFINITY));
const numbers = fc.tuple(calls, fc.oneof(fc.constant(0), calls), ns, ns, ns, minNsOrNone, maxNsOrNone);
/** Caller and symbol are modulo the number of nodes and symbols. */
const node = fc.record({ caller: fc.nat(), symbol: fc.nat(), numbers });
const bucket = fc.record({ symbol: fc.nat(), bucket: fc.nat(BUCKETS - 1), calls: ns.map((calls) => calls + 1) });
const text = fc.string({ unit: 'binary', maxLength: 5 });
const textOrNull = fc.option(text);

const thread = fc.record({
  pid: fc.option(fc.nat()),
  comm: textOrNull,
  startNs: time,
  endNs: time,
  hiddenNs: ns,
  nodes: fc.array(node, { maxLength: 30 }),
  durations: fc.option(fc.array(bucket, { maxLength: 20 })),
  resumed: fc.array(fc.tuple(fc.nat(), fc.nat(), fc.integer({ min: 1, max: 5 })), { maxLength: 3 }),
});

const meta: fc.Arbitrary<TraceMeta> = fc.record({
  originNs: fc.bigInt(),
  startNs: time,
  endNs: time,
  scope: fc.constantFrom('user', 'user+kernel'),
  weight: fc.constantFrom('ns', 'calls'),
  hasSwitches: fc.option(fc.boolean()),
  part: textOrNull,
  recorded: fc.option(
    fc.record({
      host: textOrNull,
      kernel: textOrNull,
      cpu: textOrNull,
      perf: textOrNull,
      command: fc.option(fc.array(text)),
      startedAt: textOrNull,
    }),
  ),
});

const gapInterval = { tid: fc.nat(), atNs: time, lengthNs: ns };
const gap: fc.Arbitrary<TraceGap> = fc.oneof(
  fc.record({ ...gapInterval, cause: fc.constant('unannounced' as const) }),
  fc.record({
    ...gapInterval,
    cause: fc.constant('decode-error' as const),
    code: fc.nat(),
    message: text,
    file: textOrNull,
  }),
);
const quality: fc.Arbitrary<Quality> = fc
  .record({
    lines: ns,
    firstDamaged: fc.array(fc.record({ input: text, line: ns, text, reason: text }), { maxLength: 2 }),
    brokenInputs: fc.array(fc.record({ input: text, reason: text }), { maxLength: 2 }),
    gaps: fc.array(gap, { maxLength: 3 }),
    unknownFlags: fc.array(text, { maxLength: 2 }),
    totalNs: ns,
  })
  .map((some) => ({ ...profileOfNames([]).quality, ...some }));

const name = fc.tuple(text, fc.option(fc.constantFrom('a', 'b', '')));
const names = fc.uniqueArray(name, { maxLength: 8, selector: JSON.stringify });

/** Each thread has its own tree. Some symbols are unused. */
export const randomProfiles: fc.Arbitrary<Profile> = fc
  .record({ names, meta, quality, threads: fc.array(thread, { maxLength: 4 }) })
  .map(({ names, meta, quality, threads: drawn }) => {
    const table = new SymbolTableBuilder();
    for (const [name, dso] of names) table.intern(name, dso);
    const symbols = table.build();
    const threads = drawn.map(({ nodes, durations, resumed, ...head }, tid): ThreadProfile => {
      const counted = durations && durationsOf(durations, symbols.length);
      const resumptions = resumptionsOf(resumed, symbols.length);
      return {
        ...head,
        tid,
        tree: treeOf(nodes, symbols.length),
        durations: counted,
        ...(resumptions && { resumptions }),
      };
    });
    return { meta, symbols, threads, together: null, durations: mergeDurations([]), quality };
  });

type DrawnNode = typeof node extends fc.Arbitrary<infer Value> ? Value : never;
type DrawnBucket = typeof bucket extends fc.Arbitrary<infer Value> ? Value : never;

function treeOf(nodes: readonly DrawnNode[], symbols: number): CallTree {
  const builder = new CallTreeBuilder();
  const numbersOf = new Map<number, DrawnNode['numbers']>();
  for (const { caller, symbol, numbers } of nodes)
    numbersOf.set(builder.child(caller % builder.length, symbol % symbols), numbers);
  const tree = builder.build();
  for (const [node, [calls, inferredCalls, selfNs, inferredNs, completeNs, minNs, maxNs]] of numbersOf) {
    tree.calls[node] = calls;
    tree.inferredCalls[node] = inferredCalls;
    tree.selfNs[node] = selfNs;
    tree.inferredNs[node] = inferredNs;
    tree.completeNs[node] = completeNs;
    tree.minNs[node] = minNs;
    tree.maxNs[node] = maxNs;
  }
  return tree;
}

function resumptionsOf(
  drawn: readonly (readonly [number, number, number])[],
  symbols: number,
): Resumptions | undefined {
  const counter = new ResumptionCounter();
  for (const [stack, by, times] of drawn) counter.add(stack % symbols, by % symbols, times);
  return counter.build();
}

/** By symbol, then bucket, each pair once. */
function durationsOf(drawn: readonly DrawnBucket[], symbols: number): FunctionDurations {
  const callsAt = new Map(drawn.map(({ symbol, bucket, calls }) => [(symbol % symbols) * BUCKETS + bucket, calls]));
  const keys = [...callsAt.keys()].sort((a, b) => a - b);
  return {
    length: keys.length,
    symbol: Int32Array.from(keys, (key) => Math.floor(key / BUCKETS)),
    bucket: Int32Array.from(keys, (key) => key % BUCKETS),
    calls: Float64Array.from(keys, (key) => callsAt.get(key) as number),
  };
}
