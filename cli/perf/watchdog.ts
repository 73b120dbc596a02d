/**
 * Tells whether a process hangs: it gives nothing, though it is asked, and its processors do nothing for it either.
 */
import { readFileSync } from 'node:fs';

export class Watchdog {
  hasBitten = false;
  readonly silentMs: number;
  private readonly pid: number | undefined;
  private readonly bite: () => void;
  private readonly timer: NodeJS.Timeout;
  private isAsked = false;
  /** Of the process when it was looked at last; null before. */
  private ticks: string | null = null;

  /** `bite` is called when the process was idle for so long. */
  constructor(pid: number | undefined, silentMs: number, bite: () => void) {
    this.pid = pid;
    this.silentMs = silentMs;
    this.bite = bite;
    this.timer = setInterval(() => this.look(), silentMs);
    this.timer.unref();
  }

  /** The same bytes; while nobody asks for them, waiting is no hanging. */
  async *watched(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    this.isAsked = true;
    for await (const piece of bytes) {
      this.isAsked = false;
      this.ticks = null;
      yield piece;
      this.isAsked = true;
    }
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private look(): void {
    const ticks = this.isAsked ? processorTicks(this.pid) : null;
    if (ticks !== null && ticks === this.ticks) {
      this.hasBitten = true;
      this.stop();
      this.bite();
    }
    this.ticks = ticks;
  }
}

/** What the kernel counted for a process so far, in the program and in the kernel; null if it is gone. */
function processorTicks(pid: number | undefined): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 14).join(' ');
  } catch {
    return null;
  }
}
