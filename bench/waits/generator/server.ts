/**
 * What the threads of the simulated server do: sessions push requests into a queue and wait for the reply, workers pop
 * and handle them. They wait for locks, for conditions, for requests and for the disk. Probes with the address of the
 * job show who handed it to whom.
 */
import type { Random } from '../../generator/random.js';
import { type Fn, Fns, HANDLERS } from './functions.js';
import { FutexOp, type Script, type Thread } from './machine.js';

const WORDS = 0x55555556c000;
const LOCKS = 8;
const JOBS = 0x7ffff0000b70;
const JOB_BYTES = 0x40;
/** Memory of jobs is used again. */
const MAX_JOBS = 4096;

/** Of a lock: set while it is held. Of a condition: set while there is something to wait for. */
interface Word {
  readonly address: number;
  isSet: boolean;
  readonly waiters: Thread[];
}

interface Job {
  readonly address: number;
  readonly handler: number;
  readonly done: Word;
}

export class Server {
  /** Served by sessions. */
  requests = 0;
  private words = 0;
  private made = 0;
  private readonly random: Random;
  private readonly queueLock = this.word();
  private readonly isFilled = this.word();
  private readonly locks = Array.from({ length: LOCKS }, () => this.word());
  private readonly jobs: Job[] = [];

  constructor(random: Random) {
    this.random = random;
  }

  *session(thread: Thread): Script {
    thread.leaveKernel();
    thread.call(Fns.session);
    const done = this.word();
    for (;;) {
      if (this.random.below(3) === 0) yield* thread.sleep(Fns.epollWait, 5000 + this.random.below(200_000));
      thread.call(Fns.serve);
      yield* thread.run(Fns.parse, 500 + this.random.below(2000));
      yield* this.push(thread, { ...this.job(), done });
      yield* this.awaited(thread, done, Fns.semWait);
      done.isSet = false;
      yield* this.holding(thread, this.random.pick(this.locks), this.random.below(3000));
      thread.return();
      this.requests++;
    }
  }

  *worker(thread: Thread): Script {
    thread.leaveKernel();
    thread.call(Fns.worker);
    for (;;) {
      const job = yield* this.pop(thread);
      thread.call(Fns.runJob);
      this.probe(thread, Fns.runJob, job);
      yield* this.handle(thread, job.handler);
      job.done.isSet = true;
      yield* this.wakeOne(thread, job.done, Fns.semPost);
      thread.return();
    }
  }

  private *handle(thread: Thread, handler: number): Script {
    thread.call(Fns.handlers[handler]);
    yield 200 + this.random.below(3000);
    yield* thread.run(Fns.steps[2 * handler + this.random.below(2)], this.random.below(4000));
    if (this.random.below(2) === 0) yield* this.holding(thread, this.random.pick(this.locks), this.random.below(9000));
    if (this.random.below(16) === 0) yield* thread.sleep(Fns.fdatasync, 20_000 + this.random.below(100_000));
    thread.return();
  }

  private *push(thread: Thread, job: Job): Script {
    thread.call(Fns.push);
    this.probe(thread, Fns.push, job);
    yield* this.holding(thread, this.queueLock, 100, () => this.jobs.push(job));
    this.isFilled.isSet = true;
    yield* this.wakeOne(thread, this.isFilled, Fns.condSignal);
    thread.return();
  }

  private *pop(thread: Thread): Generator<number, Job, void> {
    thread.call(Fns.pop);
    let job: Job | undefined;
    while (job === undefined) {
      if (this.jobs.length === 0) yield* this.awaited(thread, this.isFilled, Fns.condWait);
      yield* this.holding(thread, this.queueLock, 100, () => {
        job = this.jobs.shift();
        this.isFilled.isSet = this.jobs.length > 0;
      });
    }
    thread.return();
    return job;
  }

  private job(): Pick<Job, 'address' | 'handler'> {
    const address = JOBS + JOB_BYTES * (this.made++ % MAX_JOBS);
    return { address, handler: this.random.below(HANDLERS) };
  }

  private probe(thread: Thread, { name, start }: Fn, { address }: Job): void {
    thread.sample(`probe_server:${name}`, `(${start.toString(16)}) job=0x${address.toString(16)}`);
  }

  private word(): Word {
    return { address: WORDS + 64 * this.words++, isSet: false, waiters: [] };
  }

  /** `work`: done while the thread has the lock, at the end of some time. A free lock takes no call. */
  private *holding(thread: Thread, lock: Word, ns: number, work: () => void = () => {}): Script {
    yield 40;
    while (lock.isSet) {
      const mustSleep = () => lock.isSet && lock.waiters.push(thread) > 0;
      yield* inCall(thread, Fns.lockWait, thread.futexWait(FutexOp.Wait, lock.address, 2, mustSleep));
    }
    lock.isSet = true;
    yield ns;
    work();
    lock.isSet = false;
    yield* this.wakeOne(thread, lock, Fns.lockWake);
  }

  /** Waits until something is there, if it is not yet. */
  private *awaited(thread: Thread, word: Word, fn: Fn): Script {
    const mustSleep = () => !word.isSet && word.waiters.push(thread) > 0;
    if (!word.isSet) yield* inCall(thread, fn, thread.futexWait(FutexOp.WaitBitset, word.address, 0, mustSleep));
  }

  private *wakeOne(thread: Thread, { address, waiters }: Word, fn: Fn): Script {
    const woken = waiters.shift();
    if (woken) yield* inCall(thread, fn, thread.futexWake(address, woken));
  }
}

function* inCall(thread: Thread, fn: Fn, work: Script): Script {
  thread.call(fn);
  yield 40;
  yield* work;
  thread.return();
}
