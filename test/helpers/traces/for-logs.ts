/**
 * Replays the threads of a trace and hands on their logs.
 */
import { type CallLog, CallOp, FAR, opOf } from '../../../src/model/calls/call-log.js';
import type { CallTree } from '../../../src/model/calls/call-tree.js';
import { assert } from '../../../src/model/errors.js';
import { Replayer } from '../../../src/replay/replayer.js';
import type { TraceThreads } from './threads-of.js';

const OPTIONS = {
  tailCalls: 'nest',
  extendTo: null,
  mayBeUndecoded: false,
  createdInside: false,
  isForked: false,
  knownPaths: null,
  durations: null,
  wantsLog: true,
  wantsPlaces: true,
} as const;

/** Returns a log that stays when the next thread is replayed. */
export function copyOf({ length, endNs, sinceNs, farNs, code }: CallLog): CallLog {
  return { length, endNs, sinceNs: sinceNs.slice(), farNs: farNs.slice(), code: code.slice() };
}

/** Returns the time of each row; of `KnownTime`, the duration. */
export function timesOf({ length, sinceNs, farNs, code }: CallLog): number[] {
  let far = 0;
  let nowNs = 0;
  const times = Array.from({ length }, (_, row) => {
    const ns = sinceNs[row] === FAR ? farNs[far++] : nowNs + sinceNs[row];
    if (opOf(code[row]) !== CallOp.KnownTime) nowNs = ns;
    return ns;
  });
  assert(far === farNs.length, 'each far time has a row');
  return times;
}

/** Calls `work` with the log and the tree of each thread, which are valid as long as it runs. */
export function forLogs({ threads, facts }: TraceThreads, work: (log: CallLog, tree: CallTree) => void): void {
  const replayer = new Replayer(facts);
  for (const { events } of threads) {
    const { log, tree } = replayer.replay(events, OPTIONS);
    assert(log !== null, 'there is a log');
    work(log, tree);
  }
}
