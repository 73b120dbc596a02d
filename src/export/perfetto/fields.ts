/**
 * The numbers of Perfetto's trace format, from its public .proto files (protos/perfetto/trace).
 */

export const TRACE = { packet: 1 } as const;

export const PACKET = {
  clockSnapshot: 6,
  timestamp: 8,
  sequence: 10,
  trackEvent: 11,
  internedData: 12,
  sequenceFlags: 13,
  timestampClock: 58,
  defaults: 59,
  trackDescriptor: 60,
  isFirstOfSequence: 87,
  traceAttributes: 126,
} as const;

/** Names and defaults of this sequence of packets begin anew. */
export const STATE_CLEARED = 1;

export const CLOCK_SNAPSHOT = { clock: 1 } as const;
export const CLOCK = { id: 1, timestamp: 2, isIncremental: 3 } as const;
/** `Trace`: the clock of the trace unless it names another one. `Sequence`: the first that a sequence may define. */
export const ClockId = { Realtime: 1, Trace: 6, Sequence: 64 } as const;

export const DEFAULTS = { trackEvent: 11 } as const;

export const INTERNED_DATA = {
  categories: 1,
  eventNames: 2,
  annotationNames: 3,
  sourceLocations: 4,
  annotationTexts: 29,
} as const;
/** Of each of these; a source location has the name of its file, and a line. */
export const INTERNED = { id: 1, name: 2, line: 4 } as const;

export const TRACK_EVENT = {
  category: 3,
  annotation: 4,
  type: 9,
  name: 10,
  track: 11,
  sourceLocation: 34,
  doubleValue: 44,
  flow: 47,
  lastFlow: 48,
} as const;
export const EventType = { Begin: 1, End: 2, Instant: 3, Counter: 4 } as const;
export const ANNOTATION = { name: 1, bool: 2, integer: 4, text: 17 } as const;

export const TRACK = { id: 1, name: 2, process: 3, thread: 4, parent: 5, counter: 8 } as const;
export const PROCESS = { pid: 1, name: 6 } as const;
export const THREAD = { pid: 1, tid: 2, name: 5 } as const;
export const COUNTER = { unitName: 6 } as const;

export const ATTRIBUTES = { attribute: 1 } as const;
export const ATTRIBUTE = { key: 1, text: 3 } as const;
