/**
 * Runs perf for one recording: starts it, enables it, and ends it when the time is up, at Ctrl-C or when the target ends.
 */
import { appendFile, readdir, readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { PtflameError } from '../../src/model/errors.js';
import { formatsPath } from '../../src/perfdata/beside.js';
import { handleInterrupts } from '../process/interrupts.js';
import { awaitEnd, TIMEOUTS, type Timeouts } from './await-end.js';
import { type PerfExit, PerfProcess } from './perf-process.js';
import type { PerfStderr } from './perf-stderr.js';
import type { RecordingPlan } from './recording-plan.js';

export interface RecordingEnd extends PerfExit {
  readonly endedBy: 'time' | 'interrupt' | 'target';
  /** perf had begun to record. */
  readonly hasBegun: boolean;
  readonly startedAt: Date;
  readonly durationNs: number;
  readonly snapshots: number;
  readonly stderr: PerfStderr;
  /** perf did not end when asked to and was killed. */
  readonly wasKilled: boolean;
}

interface Running {
  readonly perf: PerfProcess;
  readonly plan: RecordingPlan;
  readonly interrupts: RecordingInterrupts;
  readonly notify: (text: string) => void;
  readonly timeouts: Timeouts;
}

/** Is notified of the recording's progress. */
interface RecordingListener {
  /** perf records from now on. */
  began(): void;
  /** perf was asked to end. */
  ending(): void;
}

/** @throws PtflameError INTERRUPTED at the second Ctrl-C: perf is killed then */
export async function runRecording(
  plan: RecordingPlan,
  notify: (text: string) => void,
  timeouts = TIMEOUTS,
  listener?: RecordingListener,
): Promise<RecordingEnd> {
  const runsCommand = plan.target.kind === 'command';
  const { execa } = await import('execa');
  const spawned = { at: new Date(), ns: process.hrtime.bigint() };
  const perf = new PerfProcess({ ...plan, runsCommand }, execa);
  const interrupts = new RecordingInterrupts(perf, notify);
  const running = { perf, plan, interrupts, notify, timeouts };
  try {
    if (plan.snapshots === 'by-signal') interrupts.listenForSnapshots();
    const hasBegun = await begin(running);
    const start = runsCommand ? spawned : { at: new Date(), ns: process.hrtime.bigint() };
    if (hasBegun) listener?.began();
    const endedBy = await firstEnd(running, hasBegun);
    listener?.ending();
    const durationNs = Number(process.hrtime.bigint() - start.ns);
    const wasKilled = endedBy !== 'target' && (await stop(running, hasBegun));
    const exit = await perf.exited;
    if (endedBy !== 'target') perf.signalAll('SIGTERM'); // perf ends its command, but not what the command started
    if (interrupts.isForced) throw killedByUser();
    const { snapshots } = interrupts;
    return { ...exit, endedBy, hasBegun, startedAt: start.at, durationNs, snapshots, stderr: perf.stderr, wasKilled };
  } finally {
    interrupts.release();
  }
}

/** A perf that cannot confirm that it records is assumed to by then: failures come sooner. Some versions lack `ping`. */
const BLIND_START_MS = 500;
const PING_MS = 3000;

/** Returns whether perf began to record. */
async function begin({ perf, plan, interrupts, notify, timeouts }: Running): Promise<boolean> {
  const { isControlled, waitsForEnable } = plan;
  const slow = setTimeout(() => notify('perf is still starting: large buffers take time'), timeouts.noticeMs);
  const timeoutMs = waitsForEnable ? timeouts.startMs : isControlled ? PING_MS : BLIND_START_MS;
  const isOver = Promise.race([perf.exited, interrupts.interrupted]).then(() => 'over' as const);
  const answer = isControlled ? confirmed(perf, plan, timeoutMs) : wait(timeoutMs, true);
  const begun = await Promise.race([isOver, answer]);
  clearTimeout(slow);
  if (begun === 'over') return !waitsForEnable;
  if (!begun && waitsForEnable) throw await neverBegan(perf, timeoutMs);
  perf.stderr.release();
  return true;
}

async function confirmed(perf: PerfProcess, plan: RecordingPlan, timeoutMs: number): Promise<boolean> {
  const { waitsForEnable, chains, target, output } = plan;
  if (!waitsForEnable) return perf.send('ping', timeoutMs);
  if (chains === null) return perf.send('enable', timeoutMs);
  if (!(await perf.send('disable', timeoutMs))) return false; // it is ready: nothing was enabled
  const { pids = [], tids = [] } = { pids: [], tids: [], ...target };
  const blocked = await blockedThreads(pids, tids);
  const hasBegun = await perf.send('enable', timeoutMs);
  if (hasBegun) await appendFile(formatsPath(output), await stillBlocked(blocked)).catch(() => {}); // some reasons less
  return hasBegun;
}

async function firstEnd({ perf, plan, interrupts }: Running, hasBegun: boolean): Promise<RecordingEnd['endedBy']> {
  const timer = new AbortController();
  const time = () => wait(plan.timeMs ?? 0, 'time' as const, { signal: timer.signal }).catch(() => 'time' as const);
  const ends = [interrupts.interrupted, perf.exited.then(() => 'target' as const)];
  const end = await Promise.race(plan.timeMs === null || !hasBegun ? ends : [...ends, time()]);
  timer.abort();
  return end;
}

/** Returns whether perf had to be killed. */
async function stop({ perf, plan, interrupts, notify, timeouts }: Running, hasBegun: boolean): Promise<boolean> {
  if (hasBegun && plan.snapshots === 'by-signal' && interrupts.snapshots === 0) await interrupts.takeSnapshot();
  if (hasBegun && plan.waitsForEnable) await perf.send('disable', ACK_MS);
  perf.signal('SIGINT');
  return awaitEnd(perf, plan.dataFile, notify, timeouts);
}

async function neverBegan(perf: PerfProcess, timeoutMs: number): Promise<PtflameError> {
  perf.signalAll('SIGKILL');
  await perf.exited;
  return new PtflameError('PERF_KILLED', `perf did not begin to record within ${Math.round(timeoutMs / 1000)} s`, {
    hint: 'use smaller buffers (-m 4M); ptflame record --dry-run prints the command, to run it by hand',
    output: perf.stderr.text
      .split('\n')
      .filter((line) => line.trim() !== '')
      .slice(-4),
  });
}

function killedByUser(): PtflameError {
  return new PtflameError('INTERRUPTED', 'stopped: perf was killed and its recording discarded', {
    hint: 'press Ctrl-C only once to stop a recording and keep it',
  });
}

/**
 * Reads in which functions of the kernel threads are blocked that wait already when a recording begins: nothing in it says so.
 *
 * Threads that waited, with their stacks and how often they had been switched.
 */
type BlockedThreads = ReadonlyMap<number, { readonly pid: string; readonly stack: string; readonly switches: string }>;

/** `pids`: all threads of these processes. Only root may read stacks: others get none. */
async function blockedThreads(pids: readonly number[], tids: readonly number[]): Promise<BlockedThreads> {
  const all = [...(await Promise.all(pids.map(threadsOf))).flat(), ...tids];
  const found = await Promise.all(
    all.map(async (tid) => {
      const [status, stack] = [await readThread(tid, 'status'), stackOf(await readThread(tid, 'stack'))];
      const [pid, switches] = [/^Tgid:\s*(\d+)$/m.exec(status)?.[1], switchesIn(status)];
      const isBlocked = /^State:\s+[SD]/m.test(status) && switches === switchesIn(await readThread(tid, 'status'));
      return isBlocked && stack !== '' && pid !== undefined ? [[tid, { pid, stack, switches }] as const] : [];
    }),
  );
  return new Map(found.flat());
}

/** Returns a line like "blocked PID TID do_sys_poll;schedule" for each thread that has not run since. */
async function stillBlocked(threads: BlockedThreads): Promise<string> {
  const lines = Array.from(threads, async ([tid, { pid, stack, switches }]) =>
    switchesIn(await readThread(tid, 'status')) === switches ? `blocked ${pid} ${tid} ${stack}\n` : '',
  );
  return (await Promise.all(lines)).join('');
}

async function threadsOf(pid: number): Promise<number[]> {
  return (await readdir(`/proc/${pid}/task`).catch(() => [])).map(Number);
}

function readThread(tid: number, file: string): Promise<string> {
  return readFile(`/proc/${tid}/${file}`, 'latin1').catch(() => '');
}

function switchesIn(status: string): string {
  return (status.match(/^(non)?voluntary_ctxt_switches:\s*\d+$/gm) ?? []).join();
}

const MAX_FUNCTIONS = 64;

/** From lines like "[<0>] do_sys_poll+0x4a2/0x5f0", the innermost first. */
function stackOf(text: string): string {
  const names = Array.from(text.matchAll(/^\[<\w+>\] ([\w.$]+)\+/gm), ([, name]) => name as string);
  return names.slice(0, MAX_FUNCTIONS).reverse().join(';');
}

export const ACK_MS = 5_000;

/** Signals during a recording: the first Ctrl-C ends it, the second kills perf; SIGUSR2 takes a snapshot. */
class RecordingInterrupts {
  readonly #perf: PerfProcess;
  readonly #notify: (text: string) => void;
  readonly #releases: (() => void)[];
  readonly interrupted: Promise<'interrupt'>;
  isInterrupted = false;
  isForced = false;
  /** Number of snapshots taken. */
  snapshots = 0;

  constructor(perf: PerfProcess, notify: (text: string) => void) {
    this.#perf = perf;
    this.#notify = notify;
    let resolve: (end: 'interrupt') => void = () => {};
    this.interrupted = new Promise((done) => {
      resolve = done;
    });
    this.#releases = [handleInterrupts((signal) => this.#handle(signal, resolve))];
  }

  release(): void {
    for (const release of this.#releases) release();
  }

  listenForSnapshots(): void {
    const take = () => void this.takeSnapshot();
    process.on('SIGUSR2', take);
    this.#releases.push(() => process.off('SIGUSR2', take));
  }

  async takeSnapshot(): Promise<void> {
    const isTaken = await this.#perf.send('snapshot', ACK_MS);
    if (isTaken) this.snapshots++;
    this.#notify(isTaken ? `snapshot ${this.snapshots} taken` : 'perf did not confirm the snapshot');
  }

  /** A closing terminal sends SIGHUP more than once, so SIGHUP never counts as the second Ctrl-C. */
  #handle(signal: NodeJS.Signals, resolve: (end: 'interrupt') => void): void {
    if (this.isInterrupted && signal !== 'SIGHUP') {
      this.isForced = true;
      this.#perf.signalAll('SIGKILL');
    }
    this.isInterrupted = true;
    resolve('interrupt');
  }
}
