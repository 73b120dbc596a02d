/**
 * Programs for the simulated machine: threads that lock mutexes as glibc does, park, unpark, sleep and compute.
 */
import type { Machine, Op, Program } from './machine.js';
import type { TrueHold } from './recorder.js';

const FIRST_MUTEX = 0x10000;
const FIRST_PARK = 0x20000;

export interface Load {
  readonly cpus: number;
  readonly threads: number;
  readonly mutexes: number;
  readonly rounds: number;
  /** How long a thread holds a mutex, and how long it does other things, at most. */
  readonly holdNs: number;
  readonly otherNs: number;
}

export function startThreads(machine: Machine, load: Load): void {
  const mutexes = Array.from({ length: load.mutexes }, (_, index) => new Mutex(machine, FIRST_MUTEX + 64 * index));
  for (let index = 0; index < load.threads; index++) machine.start((tid) => body(machine, load, mutexes, tid, index));
}

function* body(machine: Machine, load: Load, mutexes: readonly Mutex[], tid: number, index: number): Program {
  for (let round = 0; round < load.rounds; round++) {
    const choice = machine.upTo(10);
    yield { what: 'run', ns: machine.upTo(load.otherNs) };
    if (choice <= 7) yield* useMutex(machine, load, mutexes[machine.upTo(mutexes.length) - 1], tid);
    else if (choice === 8) yield { what: 'sleep', ns: machine.upTo(load.otherNs) };
    else if (choice === 9) yield* park(machine, FIRST_PARK + 64 * index);
    else yield* unpark(machine, FIRST_PARK + 64 * (machine.upTo(load.threads) - 1));
  }
}

function* useMutex(machine: Machine, { holdNs }: Load, mutex: Mutex, tid: number): Program {
  yield* mutex.lock(tid);
  yield { what: 'run', ns: machine.upTo(holdNs) };
  if (machine.upTo(6) === 1) yield { what: 'sleep', ns: machine.upTo(holdNs) };
  yield* mutex.unlock(tid);
}

function* park(machine: Machine, address: number): Program {
  machine.words.set(address, 0);
  yield { what: 'run', ns: 200 };
  yield { what: 'wait', address, value: 0, timeoutNs: 40_000 };
}

function* unpark(machine: Machine, address: number): Program {
  machine.words.set(address, 1);
  yield { what: 'run', ns: 100 };
  yield { what: 'wake', address, count: 1 };
}

/** glibc's low-level lock: 0 free, 1 locked, 2 locked and perhaps waited for. */
class Mutex {
  private readonly machine: Machine;
  private readonly address: number;
  private owner = 0;
  private hold: TrueHold | null = null;

  constructor(machine: Machine, address: number) {
    this.machine = machine;
    this.address = address;
    machine.words.set(address, 0);
  }

  *lock(tid: number): Generator<Op, void, number> {
    if (this.exchange(1, 0) !== 0) {
      yield { what: 'sample', event: 'probe_libc:lock_slow', values: { lock: this.address, owner: this.owner } };
      let isTaken = this.word === 2 || this.exchange(2) !== 0;
      while (isTaken) {
        yield { what: 'wait', address: this.address, value: 2 };
        isTaken = this.exchange(2) !== 0;
      }
    }
    this.hold = { address: this.address, tid, fromNs: this.machine.nowNs, toNs: Number.POSITIVE_INFINITY };
    this.machine.recorder.holds.push(this.hold);
    yield { what: 'run', ns: 20 };
    this.owner = tid;
  }

  *unlock(tid: number): Generator<Op, void, number> {
    this.owner = 0;
    yield { what: 'run', ns: 20 };
    const old = this.exchange(0);
    if (this.hold?.tid === tid) this.hold.toNs = this.machine.nowNs;
    yield { what: 'run', ns: this.machine.upTo(300) };
    if (old === 2) yield { what: 'wake', address: this.address, count: 1 };
  }

  private get word(): number {
    return this.machine.words.get(this.address) as number;
  }

  /** `only`: only if the word is that. */
  private exchange(value: number, only?: number): number {
    const old = this.word;
    if (only === undefined || old === only) this.machine.words.set(this.address, value);
    return old;
  }
}
