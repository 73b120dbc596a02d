/**
 * What users ask about requests, and which events of a trace they mean.
 */
import { PtflameError } from '../../model/errors.js';
import type { SampleTable } from '../../model/sample-table.js';
import type { Nanoseconds } from '../../model/units.js';
import { argumentsOf, type FunctionPattern, findEvent, isProbe } from '../../pipeline/replay/find-functions.js';
import { ownerEventOf } from '../../waits/locks/lock-waits.js';

export interface RequestsOptions {
  /** Each of their calls is a request. */
  readonly root: FunctionPattern;
  /** How work is handed from one thread to another. Default: threads work for those that wake them. */
  readonly flows?: readonly FlowPattern[];
  /**
   * Takes the id out of the keys of flows: its first group, else all that it matches. Ids join work of several processes,
   * also keys that are texts without this; numbers, such as pointers, only that of one process.
   */
  readonly id?: RegExp;
  /**
   * By input: the host that recorded it, whose inputs share a clock; null or missing: as the recording says. Several hosts
   * are joined by ids. Default: all inputs are of one host, if their recordings do not say otherwise.
   */
  readonly hosts?: readonly (string | null)[];
  /**
   * By input: its name, if each is a recording of its own, such as a snapshot: nothing is joined between them, and their requests
   * are compared. Default: all inputs of a host are one trace.
   */
  readonly recordings?: readonly string[];
  /** Calls that take less are left out. Default: 1 % of the slowest request, but not less than 10 µs. */
  readonly minNs?: Nanoseconds;
  /** How many of the slowest requests to describe, and to compare with the typical ones. Default: none, and 1 %. */
  readonly slowest?: number;
  /** Describe these instead, without comparing them: so many of the slowest, and about as many others evenly by rank. */
  readonly listed?: { readonly slowest: number; readonly sampled: number };
  /**
   * Describe all complete requests, or the `slowest`, instead of comparing them: with at most this many parts and calls,
   * of requests the slowest, and of calls the longest. `minNs` is then 0 by default.
   */
  readonly maxSpans?: number;
}

/** Events as in `queue_push:job` or `probe_server:queue_push:job`: where work is handed on, and taken. The key is optional. */
export interface FlowPattern {
  readonly push: string;
  readonly pop: string;
}

/** An event, and the field that identifies the work; null: no field does. */
export interface FlowSide {
  readonly table: SampleTable;
  readonly key: string | null;
}

/** @throws PtflameError NOT_RECORDED or BAD_OPTION */
export function flowSide(text: string, samples: readonly SampleTable[]): FlowSide {
  const table = findEvent(text, samples);
  if (table !== null) return { table, key: null };
  const colon = text.lastIndexOf(':');
  const event = text.slice(0, Math.max(0, colon));
  const withKey = findEvent(event, samples);
  if (withKey === null) throw noSuchEvent(colon > 0 ? event : text, samples);
  const key = text.slice(colon + 1);
  if (withKey.fields.some(({ name }) => name === key)) return { table: withKey, key };
  throw new PtflameError('NOT_RECORDED', `${withKey.event} has no argument ${key}`, {
    hint: `it has ${argumentsOf(withKey).join(', ') || 'none'}; record others with --probe 'NAME=FILE:FUNCTION ${key}=%di'`,
  });
}

function noSuchEvent(name: string, samples: readonly SampleTable[]): PtflameError {
  const probes = samples.filter(({ event }) => event.startsWith('probe_')).map((table) => describe(table));
  const hint =
    probes.length > 0 ? `it has ${probes.join(', ')}` : `record it with --probe '${name}=FILE:FUNCTION KEY=%di'`;
  return new PtflameError('NOT_RECORDED', `the trace has no event ${name}`, { hint });
}

/**
 * Returns "probe_server:push (job, id)" of each named probe at which work may be handed on; those of locks are known to be
 * none, and text may repeat probes as "probe:0x555555558670".
 */
export function handOffEvents(samples: readonly SampleTable[]): string[] {
  const mayHandOn = (table: SampleTable) =>
    isProbe(table) && !/:0x[0-9a-f]+$/.test(table.event) && ownerEventOf([table]) === null;
  return samples.filter(mayHandOn).map((table) => describe(table));
}

function describe(table: SampleTable): string {
  return `${table.event} (${argumentsOf(table).join(', ')})`;
}
