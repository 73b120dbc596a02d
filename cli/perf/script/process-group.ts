/**
 * Kills a program and everything that it started, at the latest when ptflame exits.
 */

const running = new Set<ProcessGroup>();

process.on('exit', () => {
  for (const group of running) group.kill();
});

export class ProcessGroup {
  private readonly pid: number | undefined;

  /** `pid`: of a program started `detached`, as the leader of its group; undefined if it did not start. */
  constructor(pid: number | undefined) {
    this.pid = pid;
    running.add(this);
  }

  /** Sends SIGKILL, which no process can ignore. Safe to call repeatedly. */
  kill(): void {
    if (!running.delete(this) || this.pid === undefined) return;
    try {
      process.kill(-this.pid, 'SIGKILL');
    } catch {
      // No process is left.
    }
  }
}
