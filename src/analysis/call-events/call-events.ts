/**
 * Turns the log of a thread into nested events of its calls.
 */
import { CallEvent } from '../../model/calls/call-events.js';
import type { CallLog } from '../../model/calls/call-log.js';
import { assert } from '../../model/errors.js';
import { UNWOUND } from '../../model/profile/quality.js';
import { type Nanoseconds, NONE } from '../../model/units.js';
import { type CallListener, OpenCall, walkCalls } from '../log/walk-calls.js';
import { EventsBuilder } from './events-builder.js';
import type { EventsQuestion, ThreadEventsOfCalls } from './question.js';

/** Nodes are those of the log. */
export function callEvents(log: CallLog, question: EventsQuestion): ThreadEventsOfCalls {
  const nesting = new Nesting(new EventsBuilder(question));
  walkCalls(log, nesting);
  return nesting.finish();
}

class OpenPartOfCall extends OpenCall {
  /** Of its last beginning. */
  eventRow = NONE;
}

/**
 * Calls are on the thread's stack in the order in which they began or resumed. If a frame changes below open stops, these
 * leave and resume at once.
 */
class Nesting implements CallListener<OpenPartOfCall> {
  private readonly stack: OpenPartOfCall[] = [];
  private nowNs: Nanoseconds = 0;
  private readonly builder: EventsBuilder;

  constructor(builder: EventsBuilder) {
    this.builder = builder;
  }

  newCall(): OpenPartOfCall {
    return new OpenPartOfCall();
  }

  opened(call: OpenPartOfCall): void {
    this.nowNs = call.entryNs;
    this.belowStops(call, () => this.begin(call, false));
  }

  spent(_top: OpenPartOfCall | null, _fromNs: Nanoseconds, toNs: Nanoseconds): void {
    this.nowNs = toNs;
  }

  suspended(call: OpenPartOfCall): void {
    this.belowStops(call, () => this.end(call, CallEvent.Leave));
  }

  resumed(call: OpenPartOfCall): void {
    this.belowStops(call, () => this.begin(call, true));
  }

  closed(call: OpenPartOfCall, exitNs: Nanoseconds, ending: number): void {
    this.nowNs = Math.max(this.nowNs, exitNs);
    if (call.isSuspended) return; // its last part has ended
    this.belowStops(call, () => this.end(call, endOf(ending)));
  }

  finish(): ThreadEventsOfCalls {
    assert(this.stack.length === 0, 'a call has not ended');
    return this.builder.build();
  }

  private belowStops(call: OpenPartOfCall, change: () => void): void {
    if (call.isStop || this.stack.at(-1)?.isStop !== true) return change();
    const stops = this.stack.slice(this.stack.findIndex(({ isStop }) => isStop));
    for (const stop of stops.toReversed()) this.end(stop, CallEvent.Leave);
    change();
    for (const stop of stops) this.begin(stop, true);
  }

  private begin(call: OpenPartOfCall, isResumed: boolean): void {
    this.builder.begin(call, isResumed, call.node, this.nowNs, this.stack);
    this.stack.push(call);
  }

  private end(call: OpenPartOfCall, kind: CallEvent): void {
    assert(this.stack.pop() === call, 'calls end in another order than they began');
    this.builder.end(call, kind, call.node, this.nowNs);
  }
}

function endOf(ending: number): CallEvent {
  if (ending === NONE) return CallEvent.End;
  return ending === UNWOUND ? CallEvent.Unwound : CallEvent.Cut;
}
