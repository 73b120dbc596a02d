/**
 * The signals of a recording: the first Ctrl-C asks for its end, the second kills perf; SIGUSR2 asks for a snapshot.
 */
import { handleInterrupts } from '../../process/interrupts.js';
import type { PerfProcess } from './perf-process.js';

export const ACK_MS = 5_000;

export class RecordingInterrupts {
  readonly #perf: PerfProcess;
  readonly #notify: (text: string) => void;
  readonly #releases: (() => void)[];
  readonly first: Promise<'interrupt'>;
  isFirst = false;
  isSecond = false;
  /** How many were taken. */
  snapshots = 0;

  constructor(perf: PerfProcess, notify: (text: string) => void) {
    this.#perf = perf;
    this.#notify = notify;
    let tell: (end: 'interrupt') => void = () => {};
    this.first = new Promise((done) => {
      tell = done;
    });
    this.#releases = [handleInterrupts((signal) => this.#hear(signal, tell))];
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
    const isTaken = await this.#perf.ask('snapshot', ACK_MS);
    if (isTaken) this.snapshots++;
    this.#notify(isTaken ? `snapshot ${this.snapshots} taken` : 'perf did not answer to the wish for a snapshot');
  }

  /** A terminal that closes sends SIGHUP more than once: that is no second Ctrl-C. */
  #hear(signal: NodeJS.Signals, tell: (end: 'interrupt') => void): void {
    if (this.isFirst && signal !== 'SIGHUP') {
      this.isSecond = true;
      this.#perf.signalAll('SIGKILL');
    }
    this.isFirst = true;
    tell('interrupt');
  }
}
