/**
 * Tells whether a process hangs: it gives nothing, though it is asked, and no processor does anything for it or for those
 * that it has started.
 */
import { readdirSync, readFileSync } from 'node:fs';

export class Watchdog {
  isHung = false;
  readonly silentMs: number;
  private readonly pid: number | undefined;
  private readonly onHang: () => void;
  private readonly timer: NodeJS.Timeout;
  private isAwaited = false;
  /** Of its group when it was looked at last; null before. */
  private ticks: string | null = null;

  /** `pid`: of the leader of a process group. `bite` is called when all of it was idle for so long. */
  constructor(pid: number | undefined, silentMs: number, bite: () => void) {
    this.pid = pid;
    this.silentMs = silentMs;
    this.onHang = bite;
    this.timer = setInterval(() => this.check(), silentMs);
    this.timer.unref();
  }

  /** The same bytes; while nobody asks for them, waiting is no hanging. */
  async *watch(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    this.isAwaited = true;
    for await (const piece of bytes) {
      this.isAwaited = false;
      this.ticks = null;
      yield piece;
      this.isAwaited = true;
    }
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private check(): void {
    const ticks = this.isAwaited ? groupTicks(this.pid) : null;
    if (ticks !== null && ticks === this.ticks) {
      this.isHung = true;
      this.stop();
      this.onHang();
    }
    this.ticks = ticks;
  }
}

/** What the kernel counted for each process of a group so far; '' if all are gone, null if nobody can tell. */
function groupTicks(group: number | undefined): string | null {
  try {
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    return pids.map((pid) => cpuTicks(pid, group)).join('');
  } catch {
    return null;
  }
}

/** In the program and in the kernel; '' for a process that is gone, or of another group. */
function cpuTicks(pid: string, group: number | undefined): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')')).split(' ');
    return Number(fields[GROUP]) === group ? `${pid} ${fields[USER_TICKS]} ${fields[KERNEL_TICKS]}\n` : '';
  } catch {
    return '';
  }
}

/** Fields behind the name of the program, which may hold blanks. */
const GROUP = 3;
const USER_TICKS = 12;
const KERNEL_TICKS = 13;
