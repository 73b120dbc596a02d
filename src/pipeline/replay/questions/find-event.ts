/**
 * Finds the events that users name: `push` or `probe_server:push`.
 */
import { PtflameError } from '../../../model/errors.js';
import type { SampleTable } from '../../../model/sample-table.js';

/** Returns null if there is none. @throws PtflameError BAD_OPTION if several events have the name */
export function findEvent(name: string, samples: readonly SampleTable[]): SampleTable | null {
  const found = eventsNamed(name, samples);
  if (found.length < 2) return found[0] ?? null;
  const names = found.map(({ event }) => event);
  throw new PtflameError('BAD_OPTION', `${name} is one of several events`, { hint: `choose one: ${names.join(', ')}` });
}

export function eventsNamed(name: string, samples: readonly SampleTable[]): SampleTable[] {
  return samples.filter(({ event }) => event === name || event.endsWith(`:${name}`));
}

/** perf's groups of probes are `probe` (of the kernel) and `probe_` with the name of a file. */
export function isProbe({ event }: SampleTable): boolean {
  return /^probe(_[^:]*)?:/.test(event);
}

/** Without those that perf adds, such as `__probe_ip`. */
export function argumentsOf({ fields }: SampleTable): string[] {
  return fields.map(({ name }) => name).filter((name) => !name.startsWith('__'));
}

const MAX_EVENTS = 12;

/** "it has a, b, and 3 more". */
export function eventsText(samples: readonly SampleTable[]): string {
  const events = samples.slice(0, MAX_EVENTS).map(({ event }) => event);
  const others = samples.length > MAX_EVENTS ? `, and ${samples.length - MAX_EVENTS} more` : '';
  return events.length > 0 ? `it has ${events.join(', ')}${others}` : 'it has no samples';
}
