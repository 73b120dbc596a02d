/**
 * Detects a hung process: it prints nothing while its output is awaited, and no process of its group uses a
 * CPU or waits for one.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export class Watchdog {
  isHung = false;
  readonly silentMs: number;
  private readonly pid: number | undefined;
  private readonly onHang: () => void;
  private readonly proc: string;
  private readonly timer: NodeJS.Timeout;
  private isAwaited = false;
  /** CPU time of the group at the last check; null before the first. */
  private ticks: string | null = null;

  /**
   * `pid`: the leader of a process group. Calls `onHang` when the whole group was idle for `silentMs`. `proc`: where the
   * system shows its processes.
   */
  constructor(pid: number | undefined, silentMs: number, onHang: () => void, proc = '/proc') {
    this.pid = pid;
    this.silentMs = silentMs;
    this.onHang = onHang;
    this.proc = proc;
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
    const ticks = this.isAwaited ? groupTicks(this.proc, this.pid) : null;
    if (ticks !== null && ticks === this.ticks) {
      this.isHung = true;
      this.stop();
      this.onHang();
    }
    this.ticks = ticks;
  }
}

/** Returns the CPU time of each process of a group; '' if all are gone, null if one is runnable, or if it is unknown. */
function groupTicks(proc: string, group: number | undefined): string | null {
  try {
    const pids = readdirSync(proc).filter((name) => /^\d+$/.test(name));
    const members = pids
      .map((pid) => [pid, statOf(join(proc, pid))] as const)
      .filter(([, stat]) => Number(stat[GROUP]) === group);
    if (members.some(([, stat]) => stat[STATE] === RUNNABLE)) return null;
    return members.map(([pid, stat]) => `${pid} ${stat[USER_TICKS]} ${stat[KERNEL_TICKS]}\n`).join('');
  } catch {
    return null;
  }
}

/** Returns the fields after a process's name, which may contain blanks; none if it is gone. */
function statOf(directory: string): readonly string[] {
  try {
    const stat = readFileSync(join(directory, 'stat'), 'latin1');
    return stat.slice(stat.lastIndexOf(')')).split(' ');
  } catch {
    return [];
  }
}

const STATE = 1;
const GROUP = 3;
const USER_TICKS = 12;
const KERNEL_TICKS = 13;
/** Runs, or waits for a CPU: on a busy machine, its CPU time may stay the same for long. */
const RUNNABLE = 'R';
