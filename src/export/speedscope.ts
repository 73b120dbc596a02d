/**
 * Turns single calls into a file for speedscope: a profile for each thread, with an event for the start and for the end
 * of each call. The format: https://github.com/jlfwong/speedscope/wiki/Importing-from-custom-sources
 */
import { type CallEvents, isBeginning, type LongestCalls } from '../model/calls/call-events.js';
import { symbolOrder } from '../model/profile/file-order.js';
import type { Profile, ThreadProfile } from '../model/profile/profile.js';
import { dsoOf, lineOf, type SymbolTable } from '../model/symbol-table.js';
import type { Nanoseconds } from '../model/units.js';
import { PTFLAME_VERSION } from '../model/version.js';
import { visibleText } from '../render/visible-text.js';
import { AsciiWriter } from './ascii-writer.js';
import { leftOutText, threadName, withinThread } from './shared.js';

const SCHEMA = 'https://www.speedscope.app/file-format-schema.json';

/** Yields the text as UTF-8. `profile`: each thread has its own tree. Threads without calls are left out: nothing could be drawn. */
export function* renderSpeedscope(profile: Profile, longestCalls: LongestCalls): Generator<string | Uint8Array> {
  const { table, rankOf } = symbolOrder(profile);
  const leftOut = leftOutText(longestCalls);
  const without = leftOut === null ? '' : `, without ${leftOut}`;
  const head = { $schema: SCHEMA, exporter: `ptflame ${PTFLAME_VERSION}${without}`, name: `ptflame${without}` };
  yield `${JSON.stringify(head).slice(0, -1)},\n"shared":{"frames":[`;
  yield* framesOf(table);
  yield ']},\n"profiles":[';
  const threadOf = new Map(profile.threads.map((thread) => [thread.tid, thread]));
  const writer = new AsciiWriter();
  let separator = '\n';
  for (const events of longestCalls.threads) {
    if (events.kind.length === 0) continue;
    yield separator;
    const thread = threadOf.get(events.tid) as ThreadProfile;
    yield* threadPieces(thread, withinThread(events, thread), rankOf, writer);
    separator = ',\n';
  }
  yield '\n]}\n';
}

/** Functions are in source files, if their lines are known, else in binaries. */
function* framesOf(table: SymbolTable): Generator<string> {
  for (let row = 0; row < table.length; row++) {
    const name = visibleText(table.name[row] as string);
    const { file, line } = lineOf(table, row) ?? { file: dsoOf(table, row), line: undefined };
    const frame = { name, ...(file !== null && { file: visibleText(file) }), line };
    yield `${row === 0 ? '\n' : ',\n'}${JSON.stringify(frame)}`;
  }
}

/** Times count from the first call of the thread: speedscope draws all from the first time to the last one. */
function* threadPieces(
  thread: ThreadProfile,
  { timeNs, node, kind }: CallEvents,
  rankOf: Int32Array,
  writer: AsciiWriter,
): Generator<string | Uint8Array> {
  const startNs: Nanoseconds = timeNs[0];
  const endNs = timeNs[kind.length - 1] - startNs;
  const head = { type: 'evented', name: threadName(thread), unit: 'nanoseconds', startValue: 0, endValue: endNs };
  yield `${JSON.stringify(head).slice(0, -1)},"events":[`;
  const { symbol } = thread.tree;
  const open: number[] = [];
  for (let row = 0; row < kind.length; row++) {
    const begins = isBeginning(kind[row]);
    // A call may go on as another function: what ends is what began.
    const frame = begins ? rankOf[symbol[node[row]]] : (open.pop() as number);
    if (begins) open.push(frame);
    writer.text(row === 0 ? '\n' : ',\n');
    writer.text(begins ? '{"type":"O","frame":' : '{"type":"C","frame":');
    writer.number(frame);
    writer.text(',"at":');
    writer.number(timeNs[row] - startNs);
    writer.text('}');
    if (writer.isFull) yield writer.take();
  }
  yield writer.take();
  yield ']}';
}
