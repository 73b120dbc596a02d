/**
 * Turns the waits of a trace into the answer that `ptflame waits` prints.
 */

import { areAllEmpty, lacksKernelNames, tableOf } from '../../model/sample-table.js';
import type { SymbolTable } from '../../model/symbol-table.js';
import { PieceKind } from '../../waits/path-builder.js';
import type { Distribution } from '../../waits/summary/distribution.js';
import type { WaitGroup } from '../../waits/summary/wait-groups.js';
import type { WaitSums } from '../../waits/summary/wait-sums.js';
import { clockText, finiteOrNull, named, PRODUCER, percentilesOrNulls, qualityOf } from '../common.js';
import type { WaitsResult } from './ask-wait-summary.js';
import { missingOf } from './missing.js';
import type * as schema from './schema.js';
import { EndedBy } from './wait-facts.js';
import { addressText, reasonName, waitPlace, waitThread } from './wait-names.js';

/** `points`: those of the stages, as asked. */
export function waitsAnswer(result: WaitsResult, points: readonly string[] = []): schema.WaitsAnswer {
  const { summary, profile, symbols } = result;
  const { all, wakeUps, histogram } = summary;
  return {
    format: 'ptflame-waits',
    ...headOf(result),
    inside: insideOf(result),
    stats: waitStats(all),
    wakeUps: { waits: wakeUps.count, ...distribution(wakeUps) },
    histogram: histogram.map(({ fromNs, toNs, counts }) => ({ fromNs, toNs, waits: counts[0], wakeUps: counts[1] })),
    reasons: summary.reasons.map((group) => ({
      reason: reasonOf(group),
      inferred: group.inferred,
      stats: waitStats(group),
    })),
    wakers: summary.wakers.map((group) => wakerRow(symbols, group)),
    candidates: summary.candidates.map((group) => wakerRow(symbols, group)),
    places: summary.places.map((group) => ({ ...waitPlace(symbols, group), stats: waitStats(group) })),
    threads: summary.threads.map((group) => {
      return { thread: waitThread(group.thread), ranNs: group.ranNs, stats: waitStats(group) };
    }),
    slowest: slowestOf(result),
    stages: stagesOf(result, points),
    quality: profile && qualityOf(profile),
  };
}

function wakerRow(symbols: SymbolTable, group: WaitsResult['summary']['wakers'][number]): schema.WakerRow {
  return {
    kind: WAKER_KINDS[group.endedBy],
    threads: group.threads.map(waitThread),
    ...waitPlace(symbols, group),
    isCandidate: group.endedBy === EndedBy.MaybeThread,
    stats: waitStats(group),
  };
}

const WAKER_KINDS: Readonly<Record<EndedBy, schema.WakerRow['kind']>> = {
  [EndedBy.Thread]: 'thread',
  [EndedBy.MaybeThread]: 'thread',
  [EndedBy.Interrupt]: 'interrupt',
  [EndedBy.NotSeen]: 'not-seen',
  [EndedBy.Open]: 'open',
  [EndedBy.Preempted]: 'not-seen', // these need no waker
  [EndedBy.Unknown]: 'not-seen',
};

function headOf(result: WaitsResult) {
  const { waits, threads, account, profile, samples, summary } = result;
  const shown = [...waits.tids.keys()].filter((thread) => threads.of(waits.tids[thread]).isSelected);
  const startNs = shown.reduce((first, thread) => Math.min(first, waits.startNs[thread]), Number.POSITIVE_INFINITY);
  const endNs = shown.reduce((last, thread) => Math.max(last, waits.endNs[thread]), startNs);
  const isEmpty = shown.length === 0;
  const isIdle = waits.tids.length === 0 && areAllEmpty(samples);
  return {
    version: 2 as const,
    producer: PRODUCER,
    trace: {
      start: clockText(result, isEmpty ? 0 : startNs),
      durationNs: isEmpty ? 0 : endNs - startNs,
      threads: shown.length,
      hasCalls: profile !== null,
      hasSwitches: isIdle || waits.tids.length > 0,
      part: result.part,
    },
    missing: missingOf({
      hasCalls: profile !== null,
      isIdle,
      hasSwitches: isIdle || waits.tids.length > 0,
      hasWakings: tableOf(samples, 'sched:sched_waking') !== null,
      missingSides: account.sides.filter(({ isMissing }) => isMissing).map(({ side }) => side),
      hasUnseenWakers: summary.wakers.some(({ endedBy }) => endedBy === EndedBy.NotSeen),
      lostSamples: account.sides.reduce((sum, { lost }) => sum + lost, account.samples.lost),
      unreadableSamples: account.samples.unreadable,
      lacksKernelNames: lacksKernelNames(samples),
    }),
  };
}

function insideOf({ calls, summary }: WaitsResult): schema.WaitsAnswer['inside'] {
  if (calls === null) return null;
  const rows = Array.from({ length: calls.length }, (_, row) => row).filter((row) => calls.isNested[row] === 0);
  return {
    calls: rows.length,
    inferred: rows.filter((row) => calls.isComplete[row] === 0).length,
    totalNs: rows.reduce((sum, row) => sum + calls.endNs[row] - calls.startNs[row], 0),
    offNs: summary.all.offNs,
  };
}

function waitStats(group: WaitGroup): schema.WaitStats {
  const { open: openWaits, cut: cutWaits, longestOpenNs, durations } = group;
  return { ...offStats(group), openWaits, cutWaits, longestOpenNs, ...distribution(durations) };
}

function offStats({ waits, offNs, blockedNs, wakeUpNs, preemptedNs, unknownNs, unexplainedNs }: WaitSums) {
  return { waits, totalNs: offNs, blockedNs, wakeUpNs, preemptedNs, unknownNs, unexplainedNs };
}

function distribution(durations: Distribution) {
  return {
    avgNs: finiteOrNull(durations.avgNs),
    minNs: finiteOrNull(durations.minNs),
    ...percentilesOrNulls(durations),
    maxNs: finiteOrNull(durations.maxNs),
  };
}

function slowestOf(result: WaitsResult): schema.SlowWait[] {
  const { facts, symbols, threads } = result;
  return result.slowest.map((slow) => {
    const { wait, tid, fromNs, toNs } = slow;
    const address = wait === null ? null : facts.addressOf(wait);
    return {
      kind: wait === null ? 'call' : 'wait',
      thread: waitThread(threads.of(tid)),
      start: clockText(result, fromNs),
      durationNs: toNs - fromNs,
      reason: wait === null ? null : reasonOfWait(result, wait),
      isReasonInferred: wait !== null && facts.isInferred(wait),
      address: address === null ? null : addressText(address),
      place: wait === null ? null : waitPlace(symbols, facts.placeOf(wait)),
      path: pathPieces(result, slow),
    };
  });
}

function reasonOfWait({ facts }: WaitsResult, wait: number): string {
  return reasonOf({ endedBy: facts.endedBy(wait), reason: facts.reason[wait] });
}

function reasonOf({ endedBy, reason }: { readonly endedBy: EndedBy; readonly reason: number }): string {
  if (endedBy === EndedBy.Preempted) return 'preempted';
  return endedBy === EndedBy.Unknown ? 'switches missing' : reasonName(reason);
}

type SlowInterval = WaitsResult['slowest'][number];

function pathPieces(result: WaitsResult, { path, functions, fromNs }: SlowInterval): schema.PathPiece[] {
  const { waits, threads, facts, symbols } = result;
  return Array.from({ length: path.length }, (_, piece) => {
    const wait = path.wait[piece];
    const kind = path.kind[piece] as PieceKind;
    const hasWaker = kind === PieceKind.NotTraced || kind === PieceKind.MaybeThread;
    return {
      kind: PIECE_KINDS[kind],
      fromNs: path.fromNs[piece] - fromNs,
      durationNs: path.toNs[piece] - path.fromNs[piece],
      thread: waitThread(threads.of(path.tid[piece])),
      depth: path.depth[piece],
      functions: functionTimes(functions[piece], symbols),
      reason: wait < 0 ? null : reasonOfWait(result, wait),
      isReasonInferred: wait >= 0 && facts.isInferred(wait),
      place: wait < 0 ? null : waitPlace(symbols, facts.placeOf(wait)),
      waker: hasWaker ? waitThread(threads.of(waits.waker[wait])) : null,
      isCandidate: kind === PieceKind.MaybeThread,
    };
  });
}

function functionTimes(times: SlowInterval['functions'][number], symbols: SymbolTable): schema.PathPiece['functions'] {
  return times.map(({ symbol, ns }) => ({
    ...(symbol < 0 ? { name: '[unknown]', dso: null } : named(symbols, symbol)),
    ns,
  }));
}

const PIECE_KINDS: Readonly<Record<PieceKind, schema.PathPiece['kind']>> = {
  [PieceKind.Running]: 'running',
  [PieceKind.Preempted]: 'preempted',
  [PieceKind.WakeUp]: 'wake-up',
  [PieceKind.Interrupt]: 'interrupt',
  [PieceKind.NotTraced]: 'not-traced',
  [PieceKind.MaybeThread]: 'maybe-thread',
  [PieceKind.NotSeen]: 'not-seen',
  [PieceKind.Unknown]: 'unknown',
};

function stagesOf({ stages }: WaitsResult, points: readonly string[]): schema.WaitsAnswer['stages'] {
  if (stages === null) return null;
  const rows = stages.stages.map(({ fromPoint, toPoint, durations, sums }) => ({
    ...{ from: points[fromPoint], to: points[toPoint], passes: durations.count },
    ...offStats(sums),
    ...{ onCpuNs: durations.sumNs - sums.offNs, durationNs: durations.sumNs },
    ...distribution(durations),
  }));
  const named = stages.points.map((point, row): schema.StagePoint => {
    return { name: points[row], kind: point.kind, event: point.kind === 'event' ? point.event : point.otherEvent };
  });
  return { complete: stages.passes, incomplete: stages.incomplete, points: named, rows };
}
