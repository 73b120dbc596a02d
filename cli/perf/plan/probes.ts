/**
 * Plans the probes of a recording: a group of its own, added before it and removed after it.
 */
import type { RecordOptions } from '../../options/record.js';
import type { Probe } from '../../options/values/trace-values.js';

export interface ProbesPlan {
  readonly group: string;
  readonly probes: readonly Probe[];
  /** Adds each probe. */
  readonly commands: readonly (readonly string[])[];
  /** What perf record records: a function that is inlined has several probes, numbered. */
  readonly events: readonly string[];
}

export function planProbes({ probe, perf }: RecordOptions, group: string): ProbesPlan | null {
  if (probe === undefined) return null;
  return {
    group,
    probes: probe,
    commands: probe.map(({ name, file, definition }) => [
      ...[perf, 'probe', `--exec=${file}`, `--add=${group}:${name}=${definition}`],
    ]),
    events: [`${group}:*`],
  };
}

/** Returns the command that removes a group of probes. */
export function removalCommand(perf: string, group: string): readonly string[] {
  return [perf, 'probe', '--quiet', `--del=${group}:*`];
}
