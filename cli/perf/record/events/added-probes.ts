/**
 * Adds the probes of a recording, and removes them however it ends; what SIGKILL leaves behind, `ptflame doctor` finds.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { PtflameError } from '../../../../src/text.js';
import { perfFailure } from '../../failures/failures.js';
import { listUprobes, removeUprobes, type Uprobe } from '../../machine/uprobes.js';
import type { ProbesPlan } from '../../plan/probes.js';
import { slowProbeWarning } from './slow-probe.js';

/** Groups of probes that exist now, with the directory of tracefs. */
const groups = new Map<string, string>();

process.on('exit', () => {
  for (const [group, tracing] of groups) tryRemove(group, tracing);
});

/** Runs `record` while the probes exist; it receives their events. `tracing`: the directory of tracefs. */
export async function withProbes<Result>(
  plan: ProbesPlan,
  tracing: string,
  record: (events: readonly string[]) => Promise<Result>,
  notify: (text: string) => void,
): Promise<Result> {
  groups.set(plan.group, tracing);
  try {
    for (const command of plan.commands) await addProbe(command);
    const added = listUprobes(tracing).filter(({ group }) => group === plan.group);
    await warn(added, notify);
    return await record(added.map(({ group, name }) => `${group}:${name}`));
  } finally {
    await remove(plan.group, tracing, notify);
  }
}

/** perf reads debug information, which may be large. */
const TIMEOUT_MS = 120_000;

async function addProbe([perf = 'perf', ...args]: readonly string[]): Promise<void> {
  const { execa } = await import('execa');
  const result = await execa(perf, args, { reject: false, timeout: TIMEOUT_MS, stdin: 'ignore' });
  if (!result.failed) return;
  const { exitCode, signal, cause } = result;
  const stderr = String(result.stderr ?? '');
  if (exitCode === undefined || stderr.trim() === '')
    throw perfFailure({ command: 'record', exitCode, signal, stderr, ...(exitCode === undefined ? { cause } : {}) });
  throw new PtflameError('NO_SUCH_TARGET', `perf cannot add the probe ${definitionIn(args)}`, {
    hint: 'list the functions of the binary: perf probe -x BINARY --funcs; arguments: man perf-probe, "PROBE ARGUMENT"',
    output: stderr.split('\n').filter((line) => line.trim() !== '').slice(0, 8), // biome-ignore format: short
  });
}

function definitionIn(args: readonly string[]): string {
  return args.at(-1)?.replace(/^--add=[^:]*:/, '') ?? '';
}

async function warn(added: readonly Uprobe[], notify: (text: string) => void): Promise<void> {
  for (const probe of added) {
    const warning = await slowProbeWarning(probe);
    if (warning !== null) notify(warning);
  }
}

const ATTEMPTS = 20;
const RETRY_MS = 100;

/** The kernel refuses while perf's events exist: for a moment after perf has ended. */
async function remove(group: string, tracing: string, notify: (text: string) => void): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (tryRemove(group, tracing)) return;
    await wait(RETRY_MS);
  }
  notify(`warning: the probes of group ${group} are still in use; remove them later: sudo ptflame doctor --fix`);
}

function tryRemove(group: string, tracing: string): boolean {
  try {
    removeUprobes(tracing, group);
  } catch {
    return false;
  }
  groups.delete(group);
  return true;
}
