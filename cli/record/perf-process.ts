/**
 * Runs `perf record` in its own process group, so that Ctrl-C reaches only ptflame. Controls it through descriptors, and
 * separates its messages from the output of the command that it runs.
 */

import { accessSync, constants } from 'node:fs';
import type { Duplex, Readable, Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { PerfStderr } from './perf-stderr.js';

export interface PerfExit {
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  /** Set if perf did not start. */
  readonly cause?: unknown;
}

export interface PerfStart {
  readonly command: readonly string[];
  readonly isControlled: boolean;
  /** perf runs the user's command, which inherits ptflame's standard streams. */
  readonly runsCommand: boolean;
  /** Receives perf's standard output, which is dropped otherwise. */
  readonly onOutput?: (bytes: Buffer) => void;
  /** Receives perf's messages as they come. */
  readonly onMessage?: (text: string) => void;
}

type Execa = typeof import('execa').execa;

/** How long to read stderr after perf's exit: text may still be in the pipe, but a surviving child may hold it open for ever. */
const DRAIN_MS = 300;

export class PerfProcess {
  readonly #child: ReturnType<typeof startPerf>;
  readonly #control: Duplex | null;
  readonly #waiting: (() => void)[] = [];
  readonly stderr: PerfStderr;
  /** Never rejects. */
  readonly exited: Promise<PerfExit>;

  constructor(start: PerfStart, execa: Execa) {
    this.#child = startPerf(start, execa);
    this.stderr = new PerfStderr(start.runsCommand ? process.stderr : null);
    const stderr = this.#child.stderr;
    stderr.on('data', (bytes: Buffer) => this.stderr.add(bytes));
    stderr.on('data', (bytes: Buffer) => start.onMessage?.(bytes.toString('latin1')));
    const output = start.onOutput && this.#child.stdout?.on('error', () => {}).on('data', start.onOutput);
    const streams = this.#child.stdio as unknown as readonly (Duplex | undefined)[];
    const acks = start.isControlled ? streams[4] : undefined;
    this.#control = (start.isControlled && streams[3]) || null;
    const watcher = streams[watcherFd(start.isControlled)]?.on('error', () => {}); // the watcher is gone
    this.#control?.on('error', () => {}); // perf is gone; its exit tells why
    acks?.on('error', () => {}).on('data', (bytes: Buffer) => this.#acknowledge(bytes));
    this.exited = this.#awaitExit([stderr, output, this.#control, acks], watcher);
  }

  /** Sends "enable", "disable", "snapshot" or "ping". Returns whether perf acknowledged it in time. */
  async send(command: string, timeoutMs: number): Promise<boolean> {
    if (this.#control === null) return false;
    const timer = new AbortController();
    const acknowledged = new Promise<true>((done) => this.#waiting.push(() => done(true)));
    this.#control.write(`${command}\n`);
    const late = wait(timeoutMs, false, { signal: timer.signal }).catch(() => false);
    const answer = await Promise.race([acknowledged, late, this.exited.then(() => false)]);
    timer.abort();
    return answer;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Signals perf and everything it started, even if perf itself is gone. */
  signalAll(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      process.kill(-pid, signal);
    } catch {
      // No process is left.
    }
  }

  /** perf answers each command with "ack", a newline and a NUL. */
  #acknowledge(bytes: Buffer): void {
    const count = bytes.filter((byte) => byte === 0x0a).length;
    for (let each = 0; each < count; each++) this.#waiting.shift()?.();
  }

  async #awaitExit(
    streams: readonly (Readable | Duplex | null | undefined)[],
    watcher: Duplex | undefined,
  ): Promise<PerfExit> {
    const child = this.#child;
    const exit = new Promise<PerfExit>((done) =>
      child.once('exit', (exitCode, signal) => done({ exitCode: exitCode ?? undefined, signal: signal ?? undefined })),
    );
    const notStarted = child.then(({ cause, exitCode, signal }) =>
      exitCode === undefined && signal === undefined ? { exitCode, signal, cause } : exit,
    );
    const end = await Promise.race([exit, notStarted]);
    const unread = streams.slice(0, 2).filter((stream) => stream?.readableEnded === false);
    const ends = unread.map((stream) => new Promise((done) => stream?.once('end', done)));
    if (ends.length > 0) await Promise.race([Promise.all(ends), wait(DRAIN_MS)]);
    for (const stream of streams) stream?.destroy();
    if (watcher) dismissWatcher(watcher);
    this.stderr.end();
    return end;
  }
}

/** The first descriptor after the standard streams and the two for control. */
function watcherFd(isControlled: boolean): 3 | 5 {
  return isControlled ? 5 : 3;
}

function startPerf({ command, isControlled, runsCommand, onOutput }: PerfStart, execa: Execa) {
  const [file = 'perf', ...args] = canDieWithParent() ? dieWithParent(command, watcherFd(isControlled)) : command;
  const input = runsCommand ? 'inherit' : 'ignore';
  const pipes = Array<'pipe'>(watcherFd(isControlled) - 2).fill('pipe'); // for control, and for the watcher
  return execa(file, args, {
    stdio: [input, runsCommand ? 'inherit' : onOutput ? 'pipe' : 'ignore', 'pipe', ...pipes],
    detached: true,
    env: { PERF_PAGER: 'cat' }, // perf would show wrong arguments in a pager and wait
    reject: false,
    buffer: false,
  });
}

const SHELL = '/bin/sh';

/**
 * $1 is the descriptor of the pipe; the program and its arguments follow. `exec` gives the program the shell's process id
 * ($$), which is also its group's id because the shell leads a session. The watcher is in that group, so the id cannot be
 * reused while it waits. A subshell starts the watcher and ends at once: a child that the program did not start would confuse it.
 */
const SCRIPT = `
fd=$1
shift
( {
  trap '' HUP INT QUIT TERM
  read -r word || { kill -s TERM -- -$$; sleep 3; kill -s KILL -- -$$; }
} <&$fd >/dev/null 2>&1 3<&- 4<&- 5<&- & )
eval "exec $fd<&-"
exec "$@"`;

/** Variables that a shell passes on to its children; it may drop others. */
const SHELL_NAME = /^[A-Za-z_][A-Za-z_0-9]*$/;

/**
 * Starts a program that dies when ptflame dies, even by SIGKILL: a shell in its process group waits for ptflame's end of a
 * pipe to close. See docs/decisions/0013-perf-ends-with-us.md.
 *
 * Returns whether there is a shell. Without one, the program outlives a killed ptflame.
 */
function canDieWithParent(): boolean {
  try {
    accessSync(SHELL, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the command that starts a program and its watcher. Start it as a session leader (`detached`), with the reading end
 * of a pipe as descriptor `fd`.
 */
function dieWithParent(command: readonly string[], fd: 3 | 5): string[] {
  const unusual = Object.entries(process.env).filter(([name]) => !SHELL_NAME.test(name));
  const complete =
    unusual.length === 0 ? command : ['env', ...unusual.map(([name, value]) => `${name}=${value}`), ...command];
  return [SHELL, '-c', SCRIPT, 'ptflame', String(fd), ...complete];
}

/** Ends the watcher without killing; call it when the program has ended. */
function dismissWatcher(pipe: Writable): void {
  pipe.end('ended\n');
}
