/**
 * Detects a hung process: it prints nothing while its output is awaited, and neither it nor any process of its group uses the
 * CPU.
 */
import { readdirSync, readFileSync } from 'node:fs';

export class Watchdog {
  isHung = false;
  readonly silentMs: number;
  private readonly pid: number | undefined;
  private readonly onHang: () => void;
  private readonly timer: NodeJS.Timeout;
  private isAwaited = false;
  /** CPU time of the group at the last check; null before the first. */
  private ticks: string | null = null;

  /** `pid`: the leader of a process group. Calls `onHang` when the whole group was idle for `silentMs`. */
  constructor(pid: number | undefined, silentMs: number, onHang: () => void) {
    this.pid = pid;
    this.silentMs = silentMs;
    this.onHang = onHang;
    this.timer = setInterval(() => this.check(), silentMs);
    this.timer.unref();
  }

  /** Passes the bytes through. The process cannot count as hung while no read is pending. */
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

/** Returns the CPU time of each process of a group; '' if all are gone, null if unknown. */
function groupTicks(group: number | undefined): string | null {
  try {
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    return pids.map((pid) => cpuTicks(pid, group)).join('');
  } catch {
    return null;
  }
}

/** Returns the user and kernel time of a process; '' if it is gone or in another group. */
function cpuTicks(pid: string, group: number | undefined): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')')).split(' ');
    return Number(fields[GROUP]) === group ? `${pid} ${fields[USER_TICKS]} ${fields[KERNEL_TICKS]}\n` : '';
  } catch {
    return '';
  }
}

/** Fields after the program's name, which may contain blanks. */
const GROUP = 3;
const USER_TICKS = 12;
const KERNEL_TICKS = 13;
