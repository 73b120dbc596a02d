/**
 * A running `perf record`: in a process group of its own, so that Ctrl-C reaches us and not it; asked through its control
 * descriptors; its words apart from those of the command that it runs.
 */
import type { Duplex, Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { execa } from 'execa';
import { canDieWithParent, dieWithParent, dismissWatcher } from './die-with-parent.js';
import { PerfStderr } from './perf-stderr.js';

export interface PerfExit {
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  /** Why it did not start. */
  readonly cause?: unknown;
}

export interface PerfStart {
  readonly command: readonly string[];
  readonly isControlled: boolean;
  /** perf runs a command of the user's: it gets our standard streams. */
  readonly runsCommand: boolean;
}

/** Words may still be in the pipe when perf is gone; a child that it left behind keeps the pipe open for ever. */
const LAST_WORDS_MS = 300;

export class PerfProcess {
  readonly #child: ReturnType<typeof startPerf>;
  readonly #control: Duplex | null;
  readonly #waiting: (() => void)[] = [];
  readonly stderr: PerfStderr;
  /** Never rejects. */
  readonly exited: Promise<PerfExit>;

  constructor(start: PerfStart) {
    this.#child = startPerf(start);
    this.stderr = new PerfStderr(start.runsCommand ? process.stderr : null);
    const stderr = this.#child.stderr;
    stderr.on('data', (bytes: Buffer) => this.stderr.add(bytes));
    const streams = this.#child.stdio as unknown as readonly (Duplex | undefined)[];
    const acks = start.isControlled ? streams[4] : undefined;
    this.#control = (start.isControlled && streams[3]) || null;
    const watch = streams[watchFd(start.isControlled)]?.on('error', () => {}); // it is gone
    this.#control?.on('error', () => {}); // perf is gone, and its exit tells why
    acks?.on('error', () => {}).on('data', (bytes: Buffer) => this.#acknowledge(bytes));
    this.exited = this.#awaitExit([stderr, this.#control, acks], watch);
  }

  /** "enable", "disable", "snapshot", "ping": true if perf has acknowledged it in time. */
  async ask(word: string, longestMs: number): Promise<boolean> {
    if (this.#control === null) return false;
    const timer = new AbortController();
    const acknowledged = new Promise<true>((done) => this.#waiting.push(() => done(true)));
    this.#control.write(`${word}\n`);
    const late = wait(longestMs, false, { signal: timer.signal }).catch(() => false);
    const answer = await Promise.race([acknowledged, late, this.exited.then(() => false)]);
    timer.abort();
    return answer;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** With all that it has started, also when it is gone itself. */
  signalAll(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      process.kill(-pid, signal);
    } catch {
      // Nobody is left.
    }
  }

  /** The answer to each word is "ack", a newline and a NUL. */
  #acknowledge(bytes: Buffer): void {
    const count = bytes.filter((byte) => byte === 0x0a).length;
    for (let each = 0; each < count; each++) this.#waiting.shift()?.();
  }

  async #awaitExit(
    streams: readonly (Readable | Duplex | null | undefined)[],
    watch: Duplex | undefined,
  ): Promise<PerfExit> {
    const child = this.#child;
    const exit = new Promise<PerfExit>((done) =>
      child.once('exit', (exitCode, signal) => done({ exitCode: exitCode ?? undefined, signal: signal ?? undefined })),
    );
    const notStarted = child.then(({ cause, exitCode, signal }) =>
      exitCode === undefined && signal === undefined ? { exitCode, signal, cause } : exit,
    );
    const end = await Promise.race([exit, notStarted]);
    const [stderr] = streams;
    if (stderr?.readableEnded === false)
      await Promise.race([new Promise((done) => stderr.once('end', done)), wait(LAST_WORDS_MS)]);
    for (const stream of streams) stream?.destroy();
    if (watch) dismissWatcher(watch);
    this.stderr.end();
    return end;
  }
}

/** Behind the standard streams and the two of control. */
function watchFd(isControlled: boolean): 3 | 5 {
  return isControlled ? 5 : 3;
}

function startPerf({ command, isControlled, runsCommand }: PerfStart) {
  const [file = 'perf', ...args] = canDieWithParent() ? dieWithParent(command, watchFd(isControlled)) : command;
  const input = runsCommand ? 'inherit' : 'ignore';
  const pipes = Array<'pipe'>(watchFd(isControlled) - 2).fill('pipe'); // of control, and the watcher's
  return execa(file, args, {
    stdio: [input, runsCommand ? 'inherit' : 'ignore', 'pipe', ...pipes],
    detached: true,
    env: { PERF_PAGER: 'cat' }, // for wrong arguments perf opens one, and waits in it
    reject: false,
    buffer: false,
  });
}
