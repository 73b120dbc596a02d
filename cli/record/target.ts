/**
 * Determines what to record: CPUs, processes, threads or a command.
 */
import { existsSync } from 'node:fs';
import { PtflameError } from '../../src/model/errors.js';
import { type Machine, threadCount } from './machine/probe.js';
import type { RecordOptions } from './options.js';

export type Target =
  | { readonly kind: 'cpus'; readonly cpus: readonly number[] }
  | { readonly kind: 'all-cpus' }
  | { readonly kind: 'processes'; readonly pids: readonly number[]; readonly perThread: boolean }
  | { readonly kind: 'threads'; readonly tids: readonly number[] }
  | { readonly kind: 'command'; readonly command: readonly string[] };

const EXAMPLES = 'choose one target: -p PID, --tid TID, -C 0-3, -a, or -- COMMAND ARGUMENTS';

/** @throws PtflameError BAD_OPTION if there is none, or more than one */
export function parseTarget(options: RecordOptions, command: readonly string[] | null): Target {
  const targets: Target[] = [];
  if (options.cpu) targets.push({ kind: 'cpus', cpus: options.cpu });
  if (options.allCpus) targets.push({ kind: 'all-cpus' });
  if (options.pid) targets.push({ kind: 'processes', pids: options.pid, perThread: options.perThread });
  if (options.tid) targets.push({ kind: 'threads', tids: options.tid });
  if (command) targets.push({ kind: 'command', command });
  const [target, second] = targets;
  if (target === undefined) throw new PtflameError('BAD_OPTION', 'nothing to record', { hint: EXAMPLES });
  if (second) throw new PtflameError('BAD_OPTION', 'more than one target', { hint: EXAMPLES });
  if (options.perThread && target.kind !== 'processes' && target.kind !== 'threads')
    throw new PtflameError('BAD_OPTION', '--per-thread works only with -p PID', { hint: 'add -p PID' });
  if (target.kind === 'command' && (target.command[0] ?? '') === '')
    throw new PtflameError('BAD_OPTION', 'no command after --', { hint: EXAMPLES });
  return target;
}

/** @throws PtflameError NO_SUCH_TARGET that names the processes or threads that do not exist */
export function refuseMissingTargets(target: Target): void {
  if (target.kind !== 'processes' && target.kind !== 'threads') return;
  const [what, ids] = target.kind === 'processes' ? ['process', target.pids] : ['thread', target.tids];
  const missing = ids.filter((id) => !existsSync(`/proc/${id}`));
  if (missing.length === 0) return;
  throw new PtflameError('NO_SUCH_TARGET', `no such ${what}: ${missing.join(', ')}; is it running?`, {
    hint: 'find it: pgrep -a NAME; or pass what pidof prints: -p $(pidof NAME)',
  });
}

/** Returns how many buffers perf allocates: one per thread, or one per CPU. */
export async function bufferCount(target: Target, { cpu }: Machine): Promise<number> {
  if (target.kind === 'cpus') return target.cpus.length;
  if (target.kind === 'threads') return target.tids.length;
  if (target.kind !== 'processes' || !target.perThread) return cpu.online.length;
  const counts = await Promise.all(target.pids.map(threadCount));
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Returns perf's arguments, except for a command, which must be last. */
export function targetArguments(target: Target): string[] {
  switch (target.kind) {
    case 'cpus':
      return ['-C', target.cpus.join(',')];
    case 'all-cpus':
      return ['-a'];
    case 'processes':
      return ['-p', target.pids.join(','), ...(target.perThread ? ['--per-thread'] : [])];
    case 'threads':
      return ['-t', target.tids.join(','), '--per-thread'];
    case 'command':
      return [];
  }
}

export function targetText(target: Target): string {
  switch (target.kind) {
    case 'cpus':
      return target.cpus.length === 1 ? `CPU ${target.cpus[0]}` : `CPUs ${target.cpus.join(', ')}`;
    case 'all-cpus':
      return 'all CPUs';
    case 'processes':
      return target.pids.length === 1 ? `process ${target.pids[0]}` : `processes ${target.pids.join(', ')}`;
    case 'threads':
      return target.tids.length === 1 ? `thread ${target.tids[0]}` : `threads ${target.tids.join(', ')}`;
    case 'command':
      return target.command[0];
  }
}
