/**
 * Turns a request into spans: one for each part, and one for each call and stop in it.
 */
import { isStop } from '../../analysis/tree/outside.js';
import { requestPart } from '../../answers/requests/request-part.js';
import type { RequestPart as Part, RequestSpan } from '../../answers/requests/schema.js';
import type { RequestDetails, RequestPart } from '../../pipeline/requests/found-requests.js';
import type { FoundHost } from '../../pipeline/requests/hosts/found-hosts.js';
import { visibleText } from '../../render/visible-text.js';
import { HandOffBy } from '../../waits/handoffs/hand-offs.js';
import { type AttributeValue, attributesOf } from './attributes.js';
import { callValues, handOffValues, threadValues } from './call-attributes.js';
import { innermostAt } from './innermost.js';
import type { SharedWork } from './shared-work.js';
import { type OtlpSpan, SpanKind, type SpanLink } from './span.js';
import type { SpanIds } from './span-ids.js';
import type { UnixClock } from './unix-time.js';

/** A span, and the process in which it was. */
export interface PlacedSpan {
  readonly host: number;
  readonly pid: number | null;
  readonly span: OtlpSpan;
}

export interface RequestContext {
  readonly hosts: readonly FoundHost[];
  readonly ids: SpanIds;
  /** Of the request's host. */
  readonly clock: UnixClock;
  readonly shared: SharedWork;
}

/** A part, and the ids of its spans. A part that is one call has the id of that call. */
interface NumberedPart {
  readonly found: RequestPart;
  readonly part: Part;
  readonly id: string;
  readonly callIds: readonly string[];
}

/** What the first span of a part has beyond those of other calls. */
type Head = Pick<OtlpSpan, 'spanId' | 'parentSpanId' | 'flags' | 'kind' | 'links'>;

export class RequestSpans {
  private readonly details: RequestDetails;
  private readonly context: RequestContext;
  private readonly parts: NumberedPart[] = [];

  constructor(details: RequestDetails, context: RequestContext) {
    this.details = details;
    this.context = context;
  }

  /** Callers are before what they called, and parts before those that they handed on. */
  *all(): Generator<PlacedSpan> {
    for (const found of this.details.parts) yield* this.ofPart(this.number(found));
  }

  private number(found: RequestPart): NumberedPart {
    const { hosts, ids } = this.context;
    const part = requestPart(null, hosts[found.host].profile.symbols, found, this.details.startNs);
    const id = ids.next();
    const isOneCall = this.isOneCall(found, part);
    const callIds = part.spans.map((_, row) => (row === 0 && isOneCall ? id : ids.next()));
    const numbered = { found, part, id, callIds };
    this.parts.push(numbered);
    return numbered;
  }

  /** The request's own part is its call, not one around it whose start was not seen and seems to be the same. */
  private isOneCall({ spans, by }: RequestPart, part: Part): boolean {
    const [first] = spans;
    if (first === undefined || (by === HandOffBy.None && first.symbol !== this.details.symbol)) return false;
    return part.spans[0].startNs === part.startNs && part.spans[0].durationNs === part.durationNs;
  }

  private *ofPart(own: NumberedPart): Generator<PlacedSpan> {
    const { found, part, id, callIds } = own;
    const head = this.headOf(own);
    const thread = threadValues(part);
    const ofHead = { ...thread, ...handOffValues(part) };
    if (callIds[0] !== id) yield this.place(own, head, this.nameOf(own), part, ofHead);
    const open: string[] = []; // by depth
    for (const [row, call] of part.spans.entries()) {
      const spanId = callIds[row];
      open[call.depth] = spanId;
      const isHead = spanId === id;
      const parentSpanId = call.depth === 0 ? id : open[call.depth - 1];
      const values = callValues(call, isStop(found.spans[row].symbol));
      const place = isHead ? head : { spanId, parentSpanId, kind: SpanKind.Internal };
      yield this.place(own, place, call.name, call, { ...(isHead ? ofHead : thread), ...values });
    }
  }

  /** A part that is no single call, or whose call is too short to be shown. */
  private nameOf({ part }: NumberedPart): string {
    const { hosts } = this.context;
    return part.parent === null && part.by === null
      ? hosts[this.details.host].profile.symbols.name[this.details.symbol]
      : 'work';
  }

  private place(
    { found }: NumberedPart,
    head: Head,
    name: string,
    { startNs, durationNs }: Pick<RequestSpan, 'startNs' | 'durationNs'>,
    values: Readonly<Record<string, AttributeValue>>,
  ): PlacedSpan {
    const { clock, ids } = this.context;
    const fromNs = this.details.startNs + startNs;
    const span = {
      traceId: ids.traceId,
      ...head,
      name: visibleText(name),
      startTimeUnixNano: clock.text(fromNs),
      endTimeUnixNano: clock.text(fromNs + durationNs),
      attributes: attributesOf(values),
    };
    return { host: found.host, pid: found.thread.pid, span };
  }

  private headOf(own: NumberedPart): Head {
    const { part, id } = own;
    if (part.by === null) return { spanId: id, ...remoteParent(this.details), kind: SpanKind.Internal };
    const from = this.parts[part.parent ?? 0];
    const links = [this.linkToHandOff(from, part), ...this.linksToSharedWork(own)];
    return { spanId: id, parentSpanId: from.id, kind: SpanKind.Consumer, links };
  }

  /** To the innermost span in which the work was handed on. */
  private linkToHandOff({ part, id, callIds }: NumberedPart, { by, handedOnNs }: Part): SpanLink {
    const row = innermostAt(part.spans, handedOnNs ?? Number.NaN);
    const spanId = row < 0 ? id : callIds[row];
    return { traceId: this.context.ids.traceId, spanId, attributes: attributesOf({ 'ptflame.handoff.by': by }) };
  }

  /** To the first request for which the work was done, too. */
  private linksToSharedWork({ found, id }: NumberedPart): SpanLink[] {
    if (found.sharedBy < 2) return [];
    const { ids, shared } = this.context;
    const first = shared.firstOf(this.details, found, { traceId: ids.traceId, spanId: id });
    return first.spanId === id ? [] : [{ ...first, attributes: attributesOf({ 'ptflame.link': 'shared' }) }];
  }
}

/** As in OTLP: the low byte is the flags of W3C, bit 8 says that bit 9 is set, which says that the parent is remote. */
const HAS_REMOTE_PARENT = 0x300;

function remoteParent({ context }: RequestDetails): Pick<Head, 'parentSpanId' | 'flags'> {
  if (context === null) return {};
  return { parentSpanId: context.spanId, flags: HAS_REMOTE_PARENT | context.flags };
}
