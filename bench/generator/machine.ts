/**
 * Processors that share threads: who runs where, and in which order things happen over all of them.
 */
import { Agenda } from './agenda.js';
import { lineHead } from './line-writer.js';
import type { Random } from './random.js';
import { LEAVES, type Thread, type Walk } from './walk.js';

export class Machine {
  /** Processors by their number; threads, who wake, by their row behind the last processor. */
  private readonly agenda = new Agenda();
  private readonly running: Thread[] = [];
  private readonly idle: number[];
  private readonly ready: Thread[] = [];
  private readonly threads: readonly Thread[];
  private readonly rowOf: ReadonlyMap<Thread, number>;
  private readonly cpus: number;
  private readonly walk: Walk;
  private readonly random: Random;

  /** The first thread begins at time 0, the others when it has. */
  constructor(threads: readonly Thread[], cpus: number, walk: Walk, random: Random) {
    this.threads = threads;
    this.rowOf = new Map(threads.map((thread, row) => [thread, row]));
    this.cpus = cpus;
    this.walk = walk;
    this.random = random;
    this.idle = Array.from({ length: cpus }, (_, cpu) => cpu);
    threads.forEach((_, row) => {
      this.agenda.add(cpus + row, row === 0 ? 0 : 1000 + random.below(20_000));
    });
  }

  /** Runs until there is enough; gives the time of the last event. */
  run(isEnough: () => boolean): number {
    const { agenda, cpus } = this;
    let lastNs = 0;
    while (!isEnough()) {
      const { next, nextNs } = agenda;
      if (next < cpus) lastNs = this.step(next, nextNs);
      else this.wake(this.threads[next - cpus], nextNs);
    }
    for (const thread of this.threads) this.walk.finish(thread, lastNs);
    return lastNs;
  }

  private step(cpu: number, nowNs: number): number {
    const thread = this.running[cpu];
    const delayNs = this.walk.step(thread, nowNs, this.ready.length > 0);
    if (delayNs === LEAVES) this.leave(thread, cpu, nowNs);
    else this.agenda.postpone(nowNs + delayNs);
    return nowNs;
  }

  private wake(thread: Thread, nowNs: number): void {
    this.agenda.remove();
    if (this.idle.length === 0) this.ready.push(thread);
    else this.place(thread, this.takeIdle(), nowNs);
  }

  private leave(thread: Thread, cpu: number, nowNs: number): void {
    this.agenda.remove();
    if (Number.isNaN(thread.wakeNs)) this.ready.push(thread);
    else this.agenda.add(this.cpus + (this.rowOf.get(thread) as number), thread.wakeNs);
    const next = this.ready.shift();
    if (next === undefined) this.idle.push(cpu);
    else this.place(next, cpu, nowNs + 900 + this.random.below(1500));
  }

  private place(thread: Thread, cpu: number, nowNs: number): void {
    this.running[cpu] = thread;
    thread.sinceNs = nowNs;
    thread.lineHead = lineHead(thread.tid, cpu);
    this.agenda.add(cpu, nowNs);
  }

  /** Any of them: threads move. */
  private takeIdle(): number {
    const [cpu] = this.idle.splice(this.random.below(this.idle.length), 1);
    return cpu;
  }
}
