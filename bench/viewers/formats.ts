/**
 * Writes spans in the formats of other viewers.
 */
import { closeSync, openSync, writeSync } from 'node:fs';
import type { Span, ThreadSpans } from './spans.js';

/** Writes speedscope's evented format: an event for each start and each end. */
export function writeSpeedscope(threads: readonly ThreadSpans[], path: string): void {
  const names = [...new Set(threads.flatMap(({ spans }) => spans.map(({ name }) => name)))];
  const frameOf = new Map(names.map((name, frame) => [name, frame]));
  const profileOf = ({ tid, spans }: ThreadSpans) => ({
    ...{ type: 'evented', name: `thread ${tid}`, unit: 'nanoseconds', startValue: 0 },
    endValue: spans.reduce((last, { endNs }) => Math.max(last, endNs), 0),
    events: eventsOf(spans, frameOf),
  });
  write(path, [
    '{"$schema":"https://www.speedscope.app/file-format-schema.json",',
    `"shared":${JSON.stringify({ frames: names.map((name) => ({ name })) })},"profiles":[`,
    ...separated(threads.map((thread) => JSON.stringify(profileOf(thread)))),
    ']}',
  ]);
}

function eventsOf(spans: readonly Span[], frameOf: ReadonlyMap<string, number>): object[] {
  const events: object[] = [];
  const open: Span[] = [];
  const close = ({ name, endNs }: Span) => events.push({ type: 'C', frame: frameOf.get(name), at: endNs });
  for (const span of spans) {
    while (open.length > 0 && (open.at(-1) as Span).endNs <= span.startNs) close(open.pop() as Span);
    events.push({ type: 'O', frame: frameOf.get(span.name), at: span.startNs });
    open.push(span);
  }
  while (open.length > 0) close(open.pop() as Span);
  return events;
}

/** Writes the trace event format of Chrome, which Perfetto reads: an event for each span, in µs. */
export function writeTraceEvents(threads: readonly ThreadSpans[], path: string): void {
  const lines = threads.map(({ tid, spans }) => {
    const events = spans.map(({ name, startNs, endNs }) =>
      JSON.stringify({ ph: 'X', pid: 1, tid, name, ts: startNs / 1000, dur: (endNs - startNs) / 1000 }),
    );
    return events.join(',\n');
  });
  write(path, ['{"traceEvents":[\n', ...separated(lines.filter((text) => text !== '')), '\n]}\n']);
}

function* separated(pieces: readonly string[]): Generator<string> {
  for (const [at, piece] of pieces.entries()) yield at === 0 ? piece : `,\n${piece}`;
}

function write(path: string, pieces: Iterable<string>): void {
  const file = openSync(path, 'w');
  for (const piece of pieces) writeSync(file, piece);
  closeSync(file);
}
