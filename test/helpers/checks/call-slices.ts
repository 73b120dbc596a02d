/**
 * Says as text what a viewer of calls over time must show: a line for each call, or part of one.
 */
import { CallEvent, forEachEvent, isBeginning, type LongestCalls } from '../../../src/model/calls/call-events.js';
import type { Profile } from '../../../src/model/profile/profile.js';
import { SymbolKind } from '../../../src/model/symbol-table.js';
import { visibleText } from '../../../src/render/visible-text.js';

export interface CallSlice {
  /** "worker 1234". */
  readonly thread: string;
  readonly depth: number;
  /** perf's clock. */
  readonly startNs: bigint;
  readonly durationNs: number;
  readonly name: string;
  /** The file of the function, or "stop"; empty: unknown. */
  readonly category: string;
  /** Of "cut", "unwound", "left" and "resumed", in this order. */
  readonly marks: readonly string[];
}

export function sliceText({ thread, depth, startNs, durationNs, name, category, marks }: CallSlice): string {
  return [thread, depth, startNs, durationNs, name, category, ...marks].join(' · ');
}

const ENDS: Readonly<Partial<Record<CallEvent, string>>> = {
  [CallEvent.Cut]: 'cut',
  [CallEvent.Unwound]: 'unwound',
  [CallEvent.Leave]: 'left',
};

/** Returns the calls by thread, then in the order in which they began. */
export function expectedSlices({ threads, symbols, meta }: Profile, { threads: events }: LongestCalls): CallSlice[] {
  return events.flatMap((own) => {
    const thread = threads.find(({ tid }) => tid === own.tid) as Profile['threads'][number];
    const slices: CallSlice[] = [];
    const open: number[] = [];
    forEachEvent(own, (kind, ns, node, depth) => {
      const symbol = thread.tree.symbol[node] as number;
      const startNs = meta.originNs + BigInt(ns);
      if (!isBeginning(kind)) {
        const at = open.pop() as number;
        const begun = slices[at] as CallSlice;
        const marks = [...(ENDS[kind] ? [ENDS[kind]] : []), ...begun.marks];
        slices[at] = { ...begun, durationNs: Number(startNs - begun.startNs), marks };
        return;
      }
      open.push(slices.length);
      slices.push({
        ...{ thread: `${thread.comm === null ? 'thread' : visibleText(thread.comm)} ${own.tid}`, depth, startNs },
        ...{ durationNs: 0, name: visibleText(symbols.name[symbol] as string), category: categoryOf(symbols, symbol) },
        marks: kind === CallEvent.Resume ? ['resumed'] : [],
      });
    });
    return slices;
  });
}

function categoryOf({ kind, dso, dsoName }: Profile['symbols'], symbol: number): string {
  if (kind[symbol] === SymbolKind.Synthetic) return 'stop';
  return visibleText(dsoName[dso[symbol] as number] ?? '');
}
