/**
 * Turns a part of a request into spans, for all formats that have them: the part itself, and each call and stop in it.
 */
import { isStop } from '../../analysis/tree/outside.js';
import { type Nanoseconds, NONE } from '../../model/units.js';
import type { FoundHost } from '../../questions/requests/found-hosts.js';
import type { RequestDetails, RequestPart } from '../../questions/requests/found-requests.js';
import { requestPart } from '../../questions/requests/request-part.js';
import type { RequestPart as Part, RequestSpan } from '../../questions/requests/schema.js';
import { HandOffBy } from '../../waits/hand-offs.js';
import { callValues, handOffValues, type SpanValues } from './span-values.js';

export interface PartSpan {
  /** What it is; null: a part that is no single call, or whose call is too short to be shown. */
  readonly call: RequestSpan | null;
  readonly isStop: boolean;
  readonly name: string;
  /** The row of the span around it; NONE: it is the part itself. */
  readonly parent: number;
  /** On the clock of the request's host. */
  readonly startNs: Nanoseconds;
  readonly endNs: Nanoseconds;
  readonly values: SpanValues;
}

/** Returns the part itself first, then its calls in the order in which they began. A part that is one call is that call. */
export function partSpans(
  { symbol, startNs: requestNs }: RequestDetails,
  found: RequestPart,
  { profile: { symbols } }: FoundHost,
): PartSpan[] {
  const part = requestPart(null, symbols, found, requestNs);
  const isOneCall = isItself(found, part, symbol);
  const ownValues = handOffValues(part);
  const { startNs, endNs } = found;
  const name = found.by === HandOffBy.None ? symbols.name[symbol] : 'work';
  const itself = { call: null, isStop: false, name, parent: NONE, startNs, endNs, values: ownValues };
  const before = isOneCall ? 0 : 1;
  const calls = part.spans.map((call, row): PartSpan => {
    const { symbol, startNs, endNs, parent: below } = found.spans[row];
    const isHead = isOneCall && row === 0;
    const parent = isHead ? NONE : below === NONE ? 0 : below + before;
    const values = isHead ? { ...ownValues, ...callValues(call) } : callValues(call);
    return { call, isStop: isStop(symbol), name: call.name, parent, startNs, endNs, values };
  });
  return isOneCall ? calls : [itself, ...calls];
}

/** The request's own part is its call, not one around it whose start was not seen and seems to be the same. */
function isItself({ spans: [first], by }: RequestPart, part: Part, symbol: number): boolean {
  if (first === undefined || (by === HandOffBy.None && first.symbol !== symbol)) return false;
  return part.spans[0].startNs === part.startNs && part.spans[0].durationNs === part.durationNs;
}
