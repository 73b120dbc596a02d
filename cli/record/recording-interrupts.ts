/**
 * Handles signals during a recording: the first Ctrl-C ends it, the second kills perf; SIGUSR2 takes a snapshot.
 */
import { handleInterrupts } from '../process/interrupts.js';
import type { PerfProcess } from './perf-process.js';

export const ACK_MS = 5_000;

export class RecordingInterrupts {
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
