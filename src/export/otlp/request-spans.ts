/**
 * Turns a request into spans of OTLP: one for each part, and one for each call and stop in it.
 */

import { firstThat } from '../../model/columns.js';
import type { Nanoseconds } from '../../model/units.js';
import type { FoundHost } from '../../questions/requests/found-hosts.js';
import type { RequestDetails, RequestPart } from '../../questions/requests/found-requests.js';
import { visibleText } from '../../render/visible-text.js';
import { HandOffBy } from '../../waits/hand-offs.js';
import { type PartSpan, partSpans } from '../requests/part-spans.js';
import { sharedWorkOf } from '../requests/shared-work.js';
import type { SpanValues } from '../requests/span-values.js';
import { attributesOf } from './attributes.js';
import { type OtlpSpan, SpanKind, type SpanLink } from './span.js';
import type { SpanIds } from './span-ids.js';
import type { UnixClock } from './unix-time.js';

/** A span, and the process in which it was. */
export interface PlacedSpan {
  readonly host: number;
  readonly pid: number | null;
  readonly span: OtlpSpan;
}

export interface SpanPlace {
  readonly traceId: string;
  readonly spanId: string;
}

export interface RequestContext {
  readonly hosts: readonly FoundHost[];
  readonly ids: SpanIds;
  /** Of the request's host. */
  readonly clock: UnixClock;
  /** Work for several requests: where the first of them has it. Grows with what they share. */
  readonly shared: Map<string, SpanPlace>;
}

/** A part, its spans and their ids. */
interface NumberedPart {
  readonly found: RequestPart;
  readonly thread: SpanValues;
  readonly spans: readonly PartSpan[];
  readonly ids: readonly string[];
}

/** Where a span belongs. */
type Place = Pick<OtlpSpan, 'spanId' | 'parentSpanId' | 'flags' | 'kind' | 'links'>;

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
    for (const found of this.details.parts) {
      const part = this.number(found);
      for (const row of part.spans.keys()) yield this.placed(part, row);
    }
  }

  private number(found: RequestPart): NumberedPart {
    const { hosts, ids } = this.context;
    const spans = partSpans(this.details, found, hosts[found.host]);
    const thread = { 'thread.id': found.thread.tid, 'thread.name': found.thread.comm };
    const part = { found, thread, spans, ids: spans.map(() => ids.next()) };
    this.parts.push(part);
    return part;
  }

  private placed(part: NumberedPart, row: number): PlacedSpan {
    const { ids, clock } = this.context;
    const { thread, host } = part.found;
    const { name, startNs, endNs, values } = part.spans[row];
    const span = {
      traceId: ids.traceId,
      ...this.placeOf(part, row),
      name: visibleText(name),
      startTimeUnixNano: clock.text(startNs),
      endTimeUnixNano: clock.text(endNs),
      attributes: attributesOf(part.thread, codeValues(part.spans[row]), values),
    };
    return { host, pid: thread.pid, span };
  }

  private placeOf(part: NumberedPart, row: number): Place {
    const { found, spans, ids } = part;
    const [spanId] = ids;
    if (row > 0) return { spanId: ids[row], parentSpanId: ids[spans[row].parent], kind: SpanKind.Internal };
    if (found.by === HandOffBy.None) return { spanId, ...remoteParent(this.details), kind: SpanKind.Internal };
    const from = this.parts[Math.max(0, found.parent)];
    const links = [this.linkToHandOff(from, part), ...this.linksToSharedWork(part)];
    return { spanId, parentSpanId: from.ids[0], kind: SpanKind.Consumer, links };
  }

  /** To the innermost span in which the work was handed on. */
  private linkToHandOff({ spans, ids }: NumberedPart, { found, spans: [own] }: NumberedPart): SpanLink {
    const by = own.values['ptflame.handoff.by'];
    return {
      traceId: this.context.ids.traceId,
      spanId: ids[innermostAt(spans, found.handedOnNs)],
      attributes: attributesOf({ 'ptflame.handoff.by': by }),
    };
  }

  /** To the first request for which the work was done, too. */
  private linksToSharedWork({ found, ids: [spanId] }: NumberedPart): SpanLink[] {
    const { ids, shared } = this.context;
    const work = sharedWorkOf(found);
    if (work === null) return [];
    const first = shared.get(work);
    if (first !== undefined) return [{ ...first, attributes: attributesOf({ 'ptflame.link': 'shared' }) }];
    shared.set(work, { traceId: ids.traceId, spanId });
    return [];
  }
}

/** Which code it is. */
function codeValues({ call, isStop }: PartSpan): SpanValues {
  if (call === null) return {};
  const { name, dso, srcline } = call;
  return {
    'code.function.name': isStop ? null : name,
    'code.file.path': srcline?.file,
    'code.line.number': srcline?.line,
    'ptflame.binary': dso,
  };
}

/** As in OTLP: the low byte is the flags of W3C, bit 8 says that bit 9 is set, which says that the parent is remote. */
const HAS_REMOTE_PARENT = 0x300;

function remoteParent({ context }: RequestDetails): Pick<Place, 'parentSpanId' | 'flags'> {
  if (context === null) return {};
  return { parentSpanId: context.spanId, flags: HAS_REMOTE_PARENT | context.flags };
}

type Span = Pick<PartSpan, 'parent' | 'startNs' | 'endNs'>;

/**
 * Finds the span in which something happened.
 *
 * `spans`: of one part. Returns the row of the innermost one at a time; the part itself (0) if no call was open.
 */
function innermostAt(spans: readonly Span[], ns: Nanoseconds): number {
  let row = firstThat(1, spans.length, (at) => spans[at].startNs > ns) - 1;
  while (row > 0 && ns >= spans[row].endNs) row = spans[row].parent;
  return row;
}
