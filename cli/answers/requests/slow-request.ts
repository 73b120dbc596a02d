/**
 * Formats one of the slowest requests: its calls and waits, and the work of other threads where it was handed on.
 */
import type { RequestDetails, RequestPart, RequestSpan, RequestWait } from '../../../src/questions/requests/schema.js';
import { formatDuration, formatMany } from '../../../src/render/format.js';
import { visibleText } from '../../../src/render/visible-text.js';
import { type TableColumn, tableLines } from '../../terminal/table.js';
import { threadName } from '../wait-names.js';

export function slowRequestLines(details: RequestDetails, rank: number, width: number): string[] {
  const { start, durationNs, parts } = details;
  const [own, ...others] = parts;
  const work = others.length === 0 ? '' : `, with ${formatMany(others.length, 'part')} in other threads`;
  const head = `slowest request ${rank + 1}: ${formatDuration(durationNs)} from ${start}${own ? ` in ${namedThread(own)}` : ''}${work}`;
  const columns: TableColumn<RequestLine>[] = [
    { title: 'start', text: ({ startNs }) => formatDuration(startNs) },
    { title: 'duration', text: ({ durationNs }) => formatDuration(durationNs) },
    { title: 'self', text: ({ selfNs }) => formatDuration(selfNs), rank: 2 },
    { title: 'thread', text: ({ thread }) => thread, rank: 1 },
  ];
  const options = {
    name: ({ text }: RequestLine) => text,
    nameTitle: 'call',
    indent: ({ depth }: RequestLine) => '  '.repeat(Math.min(depth, 20)),
    width,
  };
  return [head, ...tableLines(requestLines(parts), columns, options)];
}

function namedThread(part: RequestPart): string {
  const { comm } = part.thread;
  return `thread ${threadText(part)}${comm === null ? '' : ` ${visibleText(comm)}`}`;
}

/** Puts the parts of a request into one tree: a part is below the call in which it was handed on. */
interface RequestLine {
  readonly depth: number;
  readonly startNs: number;
  readonly durationNs: number;
  /** Of a thread, these add up to the duration of its part. */
  readonly selfNs: number;
  /** "7"; "db 7" if there are several hosts. */
  readonly thread: string;
  readonly text: string;
}

export function requestLines(parts: readonly RequestPart[]): RequestLine[] {
  const handedOn = parts.map((_, part) => [...parts.keys()].filter((other) => parts[other]?.parent === part));
  const linesOf = (at: number, depth: number): RequestLine[] => {
    const part = parts[at] as RequestPart;
    const own = ownLines(part, depth);
    const inserted = (handedOn[at] ?? []).map((other) => {
      const { handedOnNs } = parts[other] as RequestPart;
      const { after, depth } = callAt(own, handedOnNs ?? part.startNs);
      return { after, lines: linesOf(other, depth + 1) };
    });
    return own.flatMap((line, row) => [
      line,
      ...inserted.filter(({ after }) => after === row).flatMap(({ lines }) => lines),
    ]);
  };
  return parts.length === 0 ? [] : linesOf(0, 0);
}

/**
 * Returns the innermost call that was open, and the line after which to show what was handed on in it: after all that the
 * call did; in the part's own call, after what it did until then.
 */
function callAt(lines: readonly RequestLine[], ns: number): { readonly after: number; readonly depth: number } {
  const call = Math.max(
    0,
    lines.findLastIndex(({ startNs, durationNs }) => startNs <= ns && ns < startNs + durationNs),
  );
  const depth = lines[call]?.depth ?? 0;
  let after = call;
  const isIn = (line: RequestLine | undefined) =>
    line !== undefined && line.depth > depth && (call > 0 || line.startNs <= ns || line.depth > depth + 1);
  while (isIn(lines[after + 1])) after++;
  return { after, depth };
}

function ownLines(part: RequestPart, depth: number): RequestLine[] {
  const { startNs, durationNs, spans } = part;
  const calls = mergeChains(spans);
  const [first] = calls;
  const isAll = first !== undefined && first.startNs === startNs && first.durationNs === durationNs;
  const how = howText(part);
  const thread = threadText(part);
  const lines = calls.map((call, row): RequestLine => {
    const isHead = isAll && row === 0;
    const text = isHead && how !== '' ? `${how}: ${call.text}` : call.text;
    return { ...call, depth: depth + call.depth + (isAll ? 0 : 1), thread, text };
  });
  if (isAll) return lines;
  const listedNs = spans.filter((span) => span.depth === 0).reduce((sum, span) => sum + span.durationNs, 0);
  return [{ depth, startNs, durationNs, selfNs: durationNs - listedNs, thread, text: how }, ...lines];
}

/** "⇒ by key"; "⇒ by key on db ± 12 µs": its times may be off by this much. */
function howText({ by, sharedBy, isCandidate, host, errorNs }: RequestPart): string {
  if (by === null) return '';
  const error = errorNs === 0 ? '' : ` ± ${errorNs === null ? 'unknown' : formatDuration(errorNs)}`;
  return `⇒ ${isCandidate ? 'maybe, ' : ''}by ${by}${host === null ? '' : ` on ${visibleText(host)}${error}`}${sharedBy > 1 ? `, shared by ${sharedBy}` : ''}`;
}

/** A thread's number, after its host if there are several. */
function threadText({ host, thread: { tid } }: Pick<RequestPart, 'host' | 'thread'>): string {
  return host === null ? String(tid) : `${visibleText(host)} ${tid}`;
}

type Call = Omit<RequestLine, 'thread'>;

/** A call that does little more than one other call shares its line. */
const MIN_SHARE = 0.95;

function mergeChains(spans: readonly RequestSpan[]): Call[] {
  const calls: Call[] = [];
  const depths: number[] = []; // shown, by depth
  for (let row = 0; row < spans.length; row++) {
    const first = spans[row] as RequestSpan;
    let last = row;
    while (isOnlyCall(spans, last)) last++;
    const chain = spans.slice(row, last + 1);
    const depth = first.depth === 0 ? 0 : (depths[first.depth - 1] ?? 0) + 1;
    for (const { depth: own } of chain) depths[own] = depth;
    const { startNs, durationNs } = first;
    const selfNs = chain.reduce((sum, span) => sum + span.selfNs, 0);
    calls.push({ depth, startNs, durationNs, selfNs, text: chainText(chain) });
    row = last;
  }
  return calls;
}

/** The next span is the only one within this one, and takes almost all of its time. */
function isOnlyCall(spans: readonly RequestSpan[], row: number): boolean {
  const [span, next] = [spans[row], spans[row + 1]];
  if (!span || !next || next.depth !== span.depth + 1 || next.durationNs < MIN_SHARE * span.durationNs) return false;
  for (let at = row + 2; at < spans.length; at++) {
    const depth = spans[at]?.depth ?? 0;
    if (depth <= span.depth) return true;
    if (depth === next.depth) return false;
  }
  return true;
}

const MAX_NAMES = 3;

/** "await_reply → pthread_cond_wait → … → crunch"; who ended a wait says more than functions of libraries. */
function chainText(chain: readonly RequestSpan[]): string {
  const names = chain.map(({ name }) => name.replace(VERSION, ''));
  const wait = chain.at(-1)?.wait;
  const max = wait ? 2 : MAX_NAMES;
  const shown = names.length <= max ? names : [...names.slice(0, max - 1), '…', names.at(-1)];
  return shown.join(' → ') + (wait ? waitText(wait) : '');
}

/** Of symbols of the C library. */
const VERSION = /@@?[A-Z]\w*_[\d.]+$/;

/** " condition: worker 9165 in reply, then 12 µs to run". */
function waitText(wait: RequestWait): string {
  const wakeUp = wait.wakeUpNs === null ? '' : `, then ${formatDuration(wait.wakeUpNs)} to run`;
  const reason = wait.reason === null ? '' : ` ${wait.reason}${wait.isReasonInferred ? ' (inferred)' : ''}`;
  const ended = endText(wait);
  return `${reason}${ended === '' ? '' : `: ${ended}`}${wakeUp}`;
}

function endText({ endedBy, waker, isCandidate, function: own }: RequestWait): string {
  if (endedBy === 'interrupt') return '[interrupt]';
  if (endedBy === 'not-seen') return '[not seen]';
  if (endedBy === 'open') return '[still waiting]';
  if (waker === null) return '';
  const where = own === null ? '' : ` in ${own.name}`;
  return `${isCandidate ? 'maybe ' : ''}${threadName(waker)}${where}`;
}
