/**
 * Schedules threads on CPUs, and puts the events of all CPUs in order.
 */
import { TimeHeap } from './agenda.js';
import { lineHead } from './line-writer.js';
import type { Random } from './random.js';
import { type Thread, type Walk, YIELD_CPU } from './walk.js';

export class Machine {
  /** CPUs by number; threads that wake up by their row, counted from after the last CPU. */
  private readonly queue = new TimeHeap();
  private readonly running: Thread[] = [];
  private readonly idle: number[];
  private readonly ready: Thread[] = [];
  private readonly threads: readonly Thread[];
  private readonly rowOf: ReadonlyMap<Thread, number>;
  private readonly cpus: number;
  private readonly walk: Walk;
  private readonly random: Random;

  /** The first thread begins at time 0, the others shortly after. */
  constructor(threads: readonly Thread[], cpus: number, walk: Walk, random: Random) {
    this.threads = threads;
    this.rowOf = new Map(threads.map((thread, row) => [thread, row]));
    this.cpus = cpus;
    this.walk = walk;
    this.random = random;
    this.idle = Array.from({ length: cpus }, (_, cpu) => cpu);
    threads.forEach((_, row) => {
      this.queue.add(cpus + row, row === 0 ? 0 : 1000 + random.below(20_000));
    });
  }

  /** Runs until `isEnough`; returns the time of the last event. */
  run(isEnough: () => boolean): number {
    const { queue, cpus } = this;
    let lastNs = 0;
    while (!isEnough()) {
      const { next, nextNs } = queue;
      if (next < cpus) lastNs = this.step(next, nextNs);
      else this.wake(this.threads[next - cpus], nextNs);
    }
    for (const thread of this.threads) this.walk.finish(thread, lastNs);
    return lastNs;
  }

  private step(cpu: number, nowNs: number): number {
    const thread = this.running[cpu];
    const delayNs = this.walk.step(thread, nowNs, this.ready.length > 0);
    if (delayNs === YIELD_CPU) this.deschedule(thread, cpu, nowNs);
    else this.queue.postpone(nowNs + delayNs);
    return nowNs;
  }

  private wake(thread: Thread, nowNs: number): void {
    this.queue.remove();
    if (this.idle.length === 0) this.ready.push(thread);
    else this.schedule(thread, this.removeIdle(), nowNs);
  }

  private deschedule(thread: Thread, cpu: number, nowNs: number): void {
    this.queue.remove();
    if (Number.isNaN(thread.wakeNs)) this.ready.push(thread);
    else this.queue.add(this.cpus + (this.rowOf.get(thread) as number), thread.wakeNs);
    const next = this.ready.shift();
    if (next === undefined) this.idle.push(cpu);
    else this.schedule(next, cpu, nowNs + 900 + this.random.below(1500));
  }

  private schedule(thread: Thread, cpu: number, nowNs: number): void {
    this.running[cpu] = thread;
    thread.sinceNs = nowNs;
    thread.lineHead = lineHead(thread.tid, cpu);
    this.queue.add(cpu, nowNs);
  }

  /** Picks a random CPU: threads migrate. */
  private removeIdle(): number {
    const [cpu] = this.idle.splice(this.random.below(this.idle.length), 1);
    return cpu;
  }
}
