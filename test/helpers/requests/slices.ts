/**
 * Says as text what a viewer of requests over time must show, from the answer that `requests --json` prints: a line for each
 * call, stop or part, and one for each hand-off. Of one host; requests with all their calls.
 */
import type { RequestDetails, RequestPart } from '../../../src/questions/requests/schema.js';
import { visibleText } from '../../../src/render/visible-text.js';

export interface RequestSlice {
  /** "worker 1234". */
  readonly thread: string;
  readonly depth: number;
  /** perf's clock. */
  readonly startNs: bigint;
  readonly durationNs: number;
  readonly name: string;
}

export interface RequestArrow {
  readonly from: string;
  /** The innermost call or stop in which work was handed on. */
  readonly fromName: string;
  readonly handedOnNs: bigint;
  readonly to: string;
  readonly takenNs: bigint;
  readonly by: string;
  /** Counted from 1. */
  readonly requests: readonly number[];
}

export const requestSliceText = ({ thread, depth, startNs, durationNs, name }: RequestSlice): string =>
  [thread, depth, startNs, durationNs, name].join(' · ');

export const requestArrowText = ({ from, fromName, handedOnNs, to, takenNs, by, requests }: RequestArrow): string =>
  `${from}, ${fromName} at ${handedOnNs} → ${to} at ${takenNs}, by ${by}, for ${requests.join(', ')}`;

/** A part, and the times of its request. */
interface Placed {
  readonly request: number;
  readonly details: RequestDetails;
  readonly part: RequestPart;
  readonly startNs: bigint;
  readonly endNs: bigint;
}

/** "12345.678901234" s. */
const clockNs = (text: string): bigint => BigInt(text.replace('.', ''));

function placedParts(details: readonly RequestDetails[]): Placed[] {
  return details.flatMap((own, row) =>
    own.parts.map((part) => {
      const startNs = clockNs(own.start) + BigInt(part.startNs);
      return { request: row + 1, details: own, part, startNs, endNs: startNs + BigInt(part.durationNs) };
    }),
  );
}

/** `root`: the name of the requests' function. Work for several requests is shown once: as that which began first. */
export function expectedRequestSlices(details: readonly RequestDetails[], root: string): string[] {
  const works = new Map<string, Placed>();
  for (const own of placedParts(details)) {
    const { part, endNs, request } = own;
    const key =
      part.sharedBy > 1 ? `${part.thread.tid} ${endNs}` : `${request} ${details[request - 1]?.parts.indexOf(part)}`;
    const other = works.get(key);
    if (other === undefined || own.startNs < other.startNs) works.set(key, own);
  }
  return [...works.values()].flatMap((own) => slicesOf(own, root)).map(requestSliceText);
}

function slicesOf({ part, details: { start } }: Placed, root: string): RequestSlice[] {
  const head = isOneCall(part, root) ? [] : [{ depth: 0, ...part, name: part.by === null ? root : 'work' }];
  const calls = part.spans.map((span) => ({ ...span, depth: span.depth + head.length }));
  return [...head, ...calls].map(({ depth, startNs, durationNs, name }) => ({
    ...{ thread: nameOf(part), depth, startNs: clockNs(start) + BigInt(startNs), durationNs, name: visibleText(name) },
  }));
}

function isOneCall({ by, startNs, durationNs, spans: [first] }: RequestPart, root: string): boolean {
  return first?.startNs === startNs && first.durationNs === durationNs && (by !== null || first.name === root);
}

const nameOf = ({ thread: { tid, comm } }: RequestPart): string => `${comm ?? 'thread'} ${tid}`;

/** What is handed on for several requests at once is one arrow. */
export function expectedRequestArrows(details: readonly RequestDetails[], root: string): string[] {
  const arrows = new Map<string, RequestArrow & { requests: number[] }>();
  for (const { part, request, details: own, startNs } of placedParts(details)) {
    if (part.by === null) continue;
    const from = own.parts[part.parent ?? 0] as RequestPart;
    const at = part.handedOnNs as number;
    const open = from.spans.filter((span) => span.startNs <= at && at < span.startNs + span.durationNs);
    const head = isOneCall(from, root) ? from.spans[0]?.name : from.by === null ? root : 'work';
    const arrow = {
      ...{ from: nameOf(from), fromName: open.at(-1)?.name ?? `${head}` },
      ...{ handedOnNs: clockNs(own.start) + BigInt(at), to: nameOf(part), takenNs: startNs, by: part.by },
    };
    const key = requestArrowText({ ...arrow, requests: [] });
    const requests = [...(arrows.get(key)?.requests ?? []), request];
    arrows.set(key, { ...arrow, requests });
  }
  return [...arrows.values()].map(requestArrowText);
}
