/**
 * A program that runs beside us and keeps nothing: it is killed with all that it has started, at the latest when we end.
 */

const running = new Set<ProcessGroup>();

process.on('exit', () => {
  for (const group of running) group.kill();
});

export class ProcessGroup {
  private readonly pid: number | undefined;

  /** Of a program that was started `detached`, as the leader of its group; undefined: it did not start. */
  constructor(pid: number | undefined) {
    this.pid = pid;
    running.add(this);
  }

  /** Not by a signal that it could ignore; again and again does no harm. */
  kill(): void {
    if (!running.delete(this) || this.pid === undefined) return;
    try {
      process.kill(-this.pid, 'SIGKILL');
    } catch {
      // Nobody is left.
    }
  }
}
