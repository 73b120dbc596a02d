/**
 * Makes the call paths that the threads of a fictitious program share, callers before callees, with call counts.
 */
import { Namer, SYSCALL_NAMES, UTILITY_NAMES } from '../generator/names.js';
import type { Random } from '../generator/random.js';

/** The first names of every symbol table. */
export const SPECIAL_NAMES = ['[unknown]', '[syscall]', '[untraced]', '[off-cpu]', '[preempted]', '[lost]'] as const;
export const SYSCALL = 1;
export const OFF_CPU = 3;

export interface BenchFunction {
  readonly name: string;
  /** Median time in its own code per call. */
  readonly selfNs: number;
  readonly callees: readonly Callee[];
}

interface Callee {
  readonly row: number;
  /** Calls of it per call of the caller. */
  readonly calls: number;
}

export interface CallPaths {
  /** The special ones come first. */
  readonly functions: readonly BenchFunction[];
  readonly parent: readonly number[]; // -1 for the root
  readonly symbol: readonly number[];
  readonly depth: readonly number[];
  /** Calls in an average thread. */
  readonly calls: readonly number[];
}

const MAX_DEPTH = 60;
/** Most functions call functions at most this share of the table further on, which makes stacks deep. */
const REACH = 1 / 22;
const MAX_CALLS = 0.97;

export function callPaths(pathCount: number, random: Random): CallPaths {
  const functions = makeFunctions(Math.ceil(Math.min(12_000, 200 + pathCount / 16)), random);
  const paths = { functions, parent: [-1], symbol: [-1], depth: [0], calls: [0] };
  const open = new Heap(paths.calls);
  const add = (parent: number, symbol: number, calls: number): number => {
    const row = paths.parent.push(parent) - 1;
    paths.symbol.push(symbol);
    paths.calls.push(calls);
    paths.depth.push(paths.depth[parent] + 1);
    open.push(row);
    return row;
  };
  add(0, SPECIAL_NAMES.length, 1);
  for (let row = open.pop(); row !== null && paths.parent.length < pathCount; row = open.pop()) {
    const { callees } = functions[paths.symbol[row]];
    if (paths.depth[row] >= MAX_DEPTH) continue;
    for (const callee of callees) add(row, callee.row, paths.calls[row] * callee.calls * spread(random, 0.4));
  }
  return paths;
}

/** A factor around 1: log-normal. */
export function spread(random: Random, deviation: number): number {
  const turn = Math.cos(2 * Math.PI * random.share());
  return Math.exp(deviation * turn * Math.sqrt(-2 * Math.log(1 - random.share())));
}

function makeFunctions(count: number, random: Random): BenchFunction[] {
  const namer = new Namer(random);
  const leaf = (name: string, selfNs: number): BenchFunction => ({ name, selfNs, callees: [] });
  const specials = SPECIAL_NAMES.map((name, row) => ({
    name,
    selfNs: row === SYSCALL ? 900 : 40_000,
    callees: row === SYSCALL ? [{ row: OFF_CPU, calls: 0.02 }] : [],
  }));
  const first = specials.length;
  const [syscalls, utilities] = [first + 2, first + 2 + SYSCALL_NAMES.length];
  const ordinary = utilities + UTILITY_NAMES.length;
  const functions = [
    ...specials,
    { name: 'clone3', selfNs: 10, callees: [{ row: first + 1, calls: 1 }] },
    {
      name: 'start_thread',
      selfNs: 30,
      callees: Array.from({ length: 16 }, (_, at) => ({ row: ordinary + at, calls: 100 })),
    },
    ...SYSCALL_NAMES.map((name) => ({ name, selfNs: 20, callees: [{ row: SYSCALL, calls: 1 }] })),
    ...UTILITY_NAMES.map((name) => leaf(name, 12)),
  ];
  const anyCallee = (row: number): number => {
    const percent = random.below(100);
    if (percent < 15) return utilities + random.below(UTILITY_NAMES.length);
    if (percent < 19) return syscalls + random.below(SYSCALL_NAMES.length);
    if (percent < 21) return row; // recursion
    return ordinary + ((row - ordinary + 1 + random.below(Math.ceil(count * REACH))) % count);
  };
  for (let row = ordinary; row < ordinary + count; row++) {
    const callees = Array.from({ length: calleeCount(random) }, () => anyCallee(row));
    const unique = [...new Set(callees)].map((callee, at) => ({ row: callee, calls: callsOf(at, random) }));
    const selfNs = (unique.length > 0 ? 6 : 60) * spread(random, 1.2);
    functions.push({ name: namer.next(), selfNs, callees: limitCalls(unique, (callee) => callee >= ordinary) });
  }
  return functions;
}

/** The first callee is mostly called each time, others seldom or often. */
function callsOf(site: number, random: Random): number {
  return site === 0 && random.below(10) < 7 ? 0.6 + 0.4 * random.share() : Math.min(4, 0.14 * spread(random, 1.1));
}

/** Limits calls of functions that call others to less than one per call of the caller, or calls would never end. */
function limitCalls(callees: readonly Callee[], callsOthers: (row: number) => boolean): Callee[] {
  const all = callees.reduce((sum, { row, calls }) => sum + (callsOthers(row) ? calls : 0), 0);
  return callees.map(({ row, calls }) => ({
    row,
    calls: callsOthers(row) ? calls * Math.min(1, MAX_CALLS / all) : calls,
  }));
}

/** Mostly few, sometimes many. */
function calleeCount(random: Random): number {
  return Math.min(40, Math.round(2.6 * spread(random, 0.8)));
}

/** Rows; the one with the most weight is first. */
class Heap {
  private readonly rows: number[] = [];
  private readonly weight: readonly number[];

  constructor(weight: readonly number[]) {
    this.weight = weight;
  }

  push(row: number): void {
    let at = this.rows.push(row) - 1;
    while (at > 0 && this.isBefore(at, (at - 1) >> 1)) at = this.swap(at, (at - 1) >> 1);
  }

  pop(): number | null {
    const top = this.rows[0];
    const last = this.rows.pop();
    if (top === undefined || last === undefined) return null;
    if (this.rows.length > 0) this.rows[0] = last;
    for (let at = 0; ; ) {
      let first = 2 * at + 1;
      if (first + 1 < this.rows.length && this.isBefore(first + 1, first)) first++;
      if (first >= this.rows.length || !this.isBefore(first, at)) return top;
      at = this.swap(at, first);
    }
  }

  private isBefore(a: number, b: number): boolean {
    return this.weight[this.rows[a]] > this.weight[this.rows[b]];
  }

  private swap(from: number, to: number): number {
    const row = this.rows[from];
    this.rows[from] = this.rows[to];
    this.rows[to] = row;
    return to;
  }
}
