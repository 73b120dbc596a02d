/**
 * The functions of the simulated server, and the lines of its branches, as `perf script` prints them.
 */
export interface Fn {
  readonly row: number;
  readonly name: string;
  readonly start: number;
}

const PROGRAM_START = 0x555555555000;
const LIBRARY_START = 0x7ffff7e10000;
const FUNCTION_BYTES = 0x1000;
const CALL_BYTES = 5;
const SYSCALL_BYTES = 2;
const SYSCALL_OFFSET = 0x40;
const RETURN_OFFSET = 0xff0;

const functions: Fn[] = [];

function add(name: string, firstAddress: number): Fn {
  const row = functions.length;
  const fn = { row, name, start: firstAddress + row * FUNCTION_BYTES };
  functions.push(fn);
  return fn;
}

const program = (name: string) => add(name, PROGRAM_START);
const library = (name: string) => add(name, LIBRARY_START);
const numbered = (name: string, count: number) => Array.from({ length: count }, (_, row) => program(`${name}_${row}`));

export const HANDLERS = 64;

export const Fns = {
  thread: library('start_thread'),
  session: program('session'),
  serve: program('serve_request'),
  parse: program('parse_request'),
  push: program('queue_push'),
  pop: program('queue_pop'),
  worker: program('worker'),
  runJob: program('run_job'),
  handlers: numbered('handle', HANDLERS),
  steps: numbered('step', 2 * HANDLERS),
  epollWait: library('epoll_wait'),
  fdatasync: library('fdatasync'),
  lockWait: library('__lll_lock_wait'),
  lockWake: library('__lll_lock_wake'),
  condWait: library('pthread_cond_wait@@GLIBC_2.3.2'),
  condSignal: library('pthread_cond_signal@@GLIBC_2.3.2'),
  semWait: library('__new_sem_wait_slow64.constprop.0'),
  semPost: library('sem_post@@GLIBC_2.34'),
};

/** What follows the time in a line. */
export class BranchTexts {
  private readonly calls = new Map<number, string>();
  private readonly returns = new Map<number, string>();

  call(caller: Fn, callee: Fn): string {
    return kept(this.calls, keyOf(caller, callee), () => branch('call', at(caller, callOffset(callee)), at(callee, 0)));
  }

  return(callee: Fn, caller: Fn): string {
    const target = () => at(caller, callOffset(callee) + CALL_BYTES);
    return kept(this.returns, keyOf(caller, callee), () => branch('return', at(callee, RETURN_OFFSET), target()));
  }

  /** The thread enters the kernel: by a system call, or because it is interrupted. */
  stop(fn: Fn, why: 'syscall' | 'async'): string {
    return branch(`tr end  ${why}`, at(fn, SYSCALL_OFFSET), NOWHERE);
  }

  resume(fn: Fn, why: 'syscall' | 'async'): string {
    return branch('tr strt', NOWHERE, at(fn, SYSCALL_OFFSET + (why === 'syscall' ? SYSCALL_BYTES : 0)));
  }
}

const NOWHERE = `${'0'.padStart(16)} [unknown]`;

function branch(kind: string, from: string, to: string): string {
  return `  ${kind.padEnd(20)} ${from} => ${to}`;
}

function at({ name, start }: Fn, offset: number): string {
  return `${(start + offset).toString(16).padStart(16)} ${name}+0x${offset.toString(16)}`;
}

/** Different for each callee. */
function callOffset({ row }: Fn): number {
  return 0x80 + row * 8;
}

function keyOf(caller: Fn, callee: Fn): number {
  return caller.row * functions.length + callee.row;
}

function kept(texts: Map<number, string>, key: number, make: () => string): string {
  let text = texts.get(key);
  if (text === undefined) texts.set(key, (text = make()));
  return text;
}
