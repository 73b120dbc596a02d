/**
 * Makes a fictitious program: functions at addresses, and the call instructions in them.
 */
import { Namer, SYSCALL_NAMES, UTILITY_NAMES } from './names.js';
import type { Random } from './random.js';

export interface ProgramFunction {
  readonly name: string;
  readonly start: number;
  readonly isSyscall: boolean;
  /** Where it is interrupted; in a wrapper of a system call, the `syscall` instruction. */
  readonly stopOffset: number;
  /** Its two `ret` instructions. */
  readonly returnOffsets: readonly [number, number];
  /** Its calls, as rows of `Program.edges`; empty for a leaf. */
  readonly edges: number[];
}

/** A call instruction and one of the functions that it calls. */
export interface Edge {
  readonly caller: ProgramFunction;
  readonly callee: ProgramFunction;
  readonly offset: number;
  readonly lengthBytes: number;
}

export interface Program {
  readonly functions: readonly ProgramFunction[];
  readonly edges: readonly Edge[];
  /** The first function of the first thread, and that of all other threads. */
  readonly roots: readonly [ProgramFunction, ProgramFunction];
}

/** ptflame matches calls and returns within 15 bytes, so call instructions must be farther apart. */
const SITE_BYTES = 32;
const SYSCALL_BYTES = 2;
const PROGRAM_START = 0x401000;
const LIBRARY_START = 0x7f3a5c028000;

export function makeProgram(functionCount: number, random: Random): Program {
  const layout = new Layout(random);
  const roots = [layout.add('_start', 'program', 6), layout.add('clone3', 'library', 6)] as const;
  const syscalls = SYSCALL_NAMES.map((name) => layout.add(name, 'library', 0, true));
  const utilities = UTILITY_NAMES.map((name) => layout.add(name, 'library', 0));
  const namer = new Namer(random);
  const ordinary = Array.from({ length: functionCount }, () =>
    layout.add(namer.next(), random.below(10) < 7 ? 'program' : 'library', 1 + random.below(5)),
  );
  const edges = new Wiring(random, { ordinary, utilities, syscalls }).connect([...roots, ...ordinary]);
  return { functions: [...roots, ...syscalls, ...utilities, ...ordinary], edges, roots };
}

/** A function with space for its calls. */
interface SizedFunction extends ProgramFunction {
  readonly siteCount: number;
  readonly siteBytes: number;
}

/** Puts functions one after the other. */
class Layout {
  private readonly next = { program: PROGRAM_START, library: LIBRARY_START };
  private readonly random: Random;

  constructor(random: Random) {
    this.random = random;
  }

  add(name: string, where: 'program' | 'library', siteCount: number, isSyscall = false): SizedFunction {
    const siteBytes = SITE_BYTES + this.random.below(160);
    const sizeBytes = 64 + siteCount * siteBytes;
    const start = this.next[where];
    this.next[where] += Math.ceil((sizeBytes + 1) / 16) * 16;
    const stopOffset = isSyscall ? 0x18 : 5 + this.random.below(sizeBytes - 10);
    const returnOffsets = [sizeBytes - 1, sizeBytes - 9 - this.random.below(16)] as const;
    return { name, start, isSyscall, stopOffset, returnOffsets, edges: [], siteCount, siteBytes };
  }
}

/** Where the program resumes after a stop. */
export function resumeOffset({ isSyscall, stopOffset }: ProgramFunction): number {
  return isSyscall ? stopOffset + SYSCALL_BYTES : stopOffset;
}

interface Callees {
  readonly ordinary: readonly SizedFunction[];
  readonly utilities: readonly SizedFunction[];
  readonly syscalls: readonly SizedFunction[];
}

/** Chooses the callees of all functions. */
class Wiring {
  private readonly edges: Edge[] = [];
  private readonly random: Random;
  private readonly callees: Callees;

  constructor(random: Random, callees: Callees) {
    this.random = random;
    this.callees = callees;
  }

  connect(callers: readonly SizedFunction[]): Edge[] {
    for (const caller of callers) {
      for (let site = 0; site < caller.siteCount; site++) this.addSite(caller, site);
    }
    return this.edges;
  }

  /** The first site never calls a leaf, so there is always a way down. One site in ten calls through a pointer. */
  private addSite(caller: SizedFunction, site: number): void {
    const offset = 8 + site * caller.siteBytes + this.random.below(caller.siteBytes - SITE_BYTES + 1);
    const isIndirect = this.random.below(10) === 0;
    const lengthBytes = isIndirect ? 3 : 5;
    for (let target = 0; target < (isIndirect ? 3 : 1); target++) {
      const callee = site === 0 ? this.random.pick(this.callees.ordinary) : this.randomCallee(caller);
      caller.edges.push(this.edges.push({ caller, callee, offset, lengthBytes }) - 1);
    }
  }

  private randomCallee(caller: SizedFunction): SizedFunction {
    const { ordinary, utilities, syscalls } = this.callees;
    const percent = this.random.below(100);
    if (percent < 18) return this.random.pick(utilities);
    if (percent < 20) return this.random.pick(syscalls);
    return percent < 22 ? caller : this.random.pick(ordinary);
  }
}
