/**
 * Adds up profiles: threads with the same command name, or of the same host, become one group.
 */
import { LongestGaps, LossKinds } from '../analysis/losses.js';
import { type CallTree, CallTreeBuilder, ROOT } from '../model/calls/call-tree.js';
import { DoubtTotals } from '../model/calls/doubts.js';
import { type FunctionDurations, mergeDurations } from '../model/calls/durations.js';
import { orderedTree } from '../model/calls/tree-view.js';
import { orderedDurations } from '../model/profile/file-order.js';
import type { MergedBy, Profile, ThreadProfile, TraceMeta } from '../model/profile/profile.js';
import { type DamagedLine, type InferenceName, noInferences, type Quality } from '../model/profile/profile.js';
import { OtherSampleCounts } from '../model/sample-table.js';
import {
  compareUtf8,
  dsoOf,
  lineOf,
  type SourceLine,
  SpecialSymbol,
  type SymbolTable,
  SymbolTableBuilder,
  symbolLines,
  symbolRanks,
} from '../model/symbol-table.js';
import type { Nanoseconds, SymbolId, Tid } from '../model/units.js';

const COUNTS = [
  ...(['lines', 'events', 'gapLines', 'ignoredLines', 'damagedLines', 'threadsCut', 'inferredEvents'] as const),
  ...(['clockSteps', 'unknownFlagLines', 'lostNs', 'inferredNs', 'hiddenNs', 'unknownNs', 'totalNs'] as const),
] as const satisfies readonly (keyof Quality)[];

/** As many as a profile file may have. */
const MAX_DAMAGED = 10;
const MAX_BROKEN = 2 ** 16;
const MAX_FLAGS = 100;

/**
 * Adds up the quality of profiles.
 *
 * The quality of a profile, and the group of each of its threads.
 */
interface GroupedQuality {
  readonly quality: Quality;
  readonly groupOf: ReadonlyMap<Tid, string>;
}

/** `tidOf`: the number of a group. Gaps keep their time within their own recording. */
function mergedQuality(parts: readonly GroupedQuality[], tidOf: (group: string) => Tid): Quality {
  const all = parts.map(({ quality }) => quality);
  const sum = (numberOf: (quality: Quality) => number | undefined) =>
    all.reduce((total, quality) => total + (numberOf(quality) ?? 0), 0);
  const [sampleLines, mendedHits] = [sum((quality) => quality.sampleLines), sum((quality) => quality.mendedHits)];
  const leftOutCalls = sum((quality) => quality.leftOutCalls);
  const others = new OtherSampleCounts();
  for (const { otherSamples = [] } of all) others.addAll(otherSamples);
  const otherSamples = others.build();
  const reasons = Object.keys(noInferences()) as InferenceName[];
  return {
    ...(Object.fromEntries(COUNTS.map((name) => [name, sum((quality) => quality[name])])) as Counts),
    ...(sampleLines > 0 && { sampleLines }),
    ...(otherSamples.length > 0 && { otherSamples }),
    ...(mendedHits > 0 && { mendedHits }),
    ...(leftOutCalls > 0 && { leftOutCalls }),
    ...(all.every(({ codeNs }) => codeNs !== undefined) && { codeNs: sum(({ codeNs }) => codeNs) }),
    inferredCalls: Object.fromEntries(
      reasons.map((reason) => [reason, sum(({ inferredCalls }) => inferredCalls[reason])]),
    ) as Record<InferenceName, number>,
    firstDamaged: all
      .flatMap(({ firstDamaged }) => firstDamaged)
      .sort(byLine)
      .slice(0, MAX_DAMAGED),
    brokenInputs: all
      .flatMap(({ brokenInputs }) => brokenInputs)
      .sort(byInput)
      .slice(0, MAX_BROKEN),
    unknownFlags: [...new Set(all.flatMap(({ unknownFlags }) => unknownFlags))].sort().slice(0, MAX_FLAGS),
    ...inferredByOf(all),
    losses: mergedLosses(all),
    gaps: mergedGaps(parts, tidOf),
  };
}

/** Only if it is known of all. */
function inferredByOf(all: readonly Quality[]): Pick<Quality, 'inferredBy'> {
  const totals = new DoubtTotals();
  const doubtful = all.filter(({ inferredNs, hiddenNs }) => inferredNs + hiddenNs > 0);
  for (const { inferredBy } of doubtful) totals.addAll(inferredBy);
  const inferredBy = totals.build();
  return doubtful.length > 0 && inferredBy ? { inferredBy } : {};
}

function byInput(a: { readonly input: string }, b: { readonly input: string }): number {
  return compareUtf8(a.input, b.input);
}

function byLine(a: DamagedLine, b: DamagedLine): number {
  return byInput(a, b) || a.line - b.line || compareUtf8(a.text, b.text);
}

type Counts = Pick<Quality, (typeof COUNTS)[number]>;

function mergedLosses(all: readonly Quality[]): Quality['losses'] {
  const losses = new LossKinds();
  for (const kind of all.flatMap((quality) => quality.losses)) losses.addKind(kind);
  return losses.build();
}

function mergedGaps(parts: readonly GroupedQuality[], tidOf: (group: string) => Tid): Quality['gaps'] {
  const gaps = new LongestGaps();
  for (const { quality, groupOf } of parts)
    for (const gap of quality.gaps) {
      const group = groupOf.get(gap.tid);
      if (group !== undefined) gaps.add({ ...gap, tid: tidOf(group) });
    }
  return gaps.build();
}

const SPECIALS = Object.keys(SpecialSymbol).length;

/**
 * Adds up profiles one after another, so that only one of them and the sum are in memory. All have times, or none has; each has
 * the trees of its threads.
 */
export class ProfileSum {
  private readonly symbols = new SymbolSum();
  private readonly groups = new Map<string, GroupSum>();
  private readonly metas: TraceMeta[] = [];
  private readonly qualities: GroupedQuality[] = [];

  constructor(private readonly by: 'comm' | 'host') {}

  /**
   * `file`: of the profile. Threads without a name are of this file, whatever their ids are elsewhere. Returns the row of each
   * symbol in the sum.
   */
  add({ meta, symbols, threads, quality }: Profile, file: string): Int32Array {
    const rows = this.symbols.add(symbols);
    const unknown = `${UNKNOWN_GROUPS[this.by]}: ${file}`;
    const isGroup = this.by === (meta.merged?.by ?? 'comm');
    const nameOf = ({ comm }: ThreadProfile) => (isGroup ? comm : meta.recorded?.host) ?? unknown;
    for (const thread of threads) {
      const group = this.groups.get(nameOf(thread)) ?? new GroupSum();
      this.groups.set(nameOf(thread), group);
      group.add(thread, rows);
    }
    this.metas.push(meta);
    this.qualities.push({ quality, groupOf: new Map(threads.map((thread) => [thread.tid, nameOf(thread)])) });
    return rows;
  }

  build(): Profile {
    return groupedProfile(
      [...this.groups].map(([name, sum]) => sum.build(name)),
      this.by,
      this.symbols.build(),
      mergedMeta(this.metas),
      (tidOf) => mergedQuality(this.qualities, tidOf),
    );
  }
}

/** The sum of the threads of a group. */
class GroupSum {
  private readonly builder = new CallTreeBuilder();
  private readonly durations: { readonly durations: FunctionDurations | null }[] = [];
  private hiddenNs = 0;

  /** `rows`: of its symbols in the merged table. */
  add({ tree, durations, hiddenNs }: ThreadProfile, rows: Int32Array): void {
    this.builder.merge(tree, ROOT, (symbol) => rows[symbol] as SymbolId);
    this.durations.push({ durations: durations && orderedDurations(durations, rows) });
    this.hiddenNs += hiddenNs;
  }

  build(name: string): Group {
    const tree: CallTree = this.builder.build();
    return { name, tree, durations: mergeDurations(this.durations), hiddenNs: this.hiddenNs };
  }
}

/** Functions are the same if name and file are. */
class SymbolSum {
  private readonly builder = new SymbolTableBuilder();
  private readonly lines: (SourceLine | null)[] = [];

  /** Returns the row of each symbol in the sum. */
  add(symbols: SymbolTable): Int32Array {
    const rows = new Int32Array(symbols.length);
    for (let row = 0; row < symbols.length; row++) {
      const { name, kind } = symbols;
      rows[row] = row < SPECIALS ? row : this.builder.intern(name[row] as string, dsoOf(symbols, row), kind[row]);
      this.lines[rows[row] as SymbolId] ??= lineOf(symbols, row);
    }
    return rows;
  }

  build(): SymbolTable {
    const symbols = this.builder.build();
    const lines = symbolLines(Array.from(symbols.name, (_, row) => this.lines[row] ?? null));
    return lines ? { ...symbols, lines } : symbols;
  }
}

function mergedMeta(metas: readonly TraceMeta[]): MergedMeta {
  const first = metas[0] as TraceMeta;
  const hasSwitches = metas.every((meta) => meta.hasSwitches === first.hasSwitches) ? first.hasSwitches : null;
  return {
    scope: metas.some(({ scope }) => scope === 'user+kernel') ? ('user+kernel' as const) : ('user' as const),
    weight: first.weight,
    ...(first.isBlockedTime && { isBlockedTime: true as const }),
    hasSwitches,
    ...(metas.every(({ showsJumps }) => showsJumps) && { showsJumps: true as const }),
    durationNs: metas.reduce((sum, { startNs, endNs }) => sum + endNs - startNs, 0),
    recordings: metas.reduce((sum, { merged }) => sum + (merged?.recordings ?? 1), 0),
  };
}

// Turns call trees of groups (command names, hosts, builds) into a profile in which each group is a thread, so that all
// renderers draw it.

/** What groups are called whose name is not known: each with the file it is of, so that no two programs become one. */
export const UNKNOWN_GROUPS: Readonly<Record<MergedBy, string>> = {
  comm: 'no command name',
  host: 'unknown host',
  build: 'unknown build',
};

export interface Group {
  readonly name: string;
  readonly tree: CallTree;
  readonly durations: FunctionDurations | null;
  readonly hiddenNs: Nanoseconds;
}

interface MergedMeta extends Pick<TraceMeta, 'scope' | 'weight' | 'hasSwitches' | 'showsJumps'> {
  /** Of all recordings. */
  readonly durationNs: Nanoseconds;
  readonly recordings: number;
}

/** Groups are numbered by name. The bounds of a group are 0 and the sum of its time. */
export function groupedProfile(
  groups: readonly Group[],
  by: MergedBy,
  symbols: SymbolTable,
  meta: MergedMeta,
  qualityOf: (tidOf: (name: string) => number) => Quality,
): Profile {
  const { durationNs, recordings, ...known } = meta;
  const sorted = groups.toSorted((a, b) => compareUtf8(a.name, b.name));
  const rank = symbolRanks(symbols);
  const threads = sorted.map(({ name, tree, durations, hiddenNs }, at) => {
    const endNs = tree.selfNs.reduce((sum, ns) => sum + ns, 0);
    return {
      tid: at + 1,
      pid: null,
      comm: name,
      startNs: 0,
      endNs,
      tree: orderedTree(tree, rank),
      durations,
      hiddenNs,
    };
  });
  const tids = new Map(threads.map(({ comm, tid }) => [comm, tid]));
  return {
    meta: {
      ...{ originNs: 0n, startNs: 0, endNs: durationNs, part: null, recorded: null },
      ...{ ...known, merged: { recordings, by } },
    },
    symbols,
    threads,
    together: null,
    durations: null,
    quality: qualityOf((name) => tids.get(name) as number),
  };
}
