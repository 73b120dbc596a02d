/**
 * The table of recordings: one row, which says what was recorded where, and how far its numbers can be trusted.
 */
import { PTFLAME_VERSION } from '../../model/version.js';
import { shellWords } from '../../render/visible-text.js';
import { type Grouped, idColumn } from './groups.js';
import { type Column, type Table, constantText as text } from './table.js';

/** The version of all tables: it changes when columns change their meaning or are gone. */
export const SCHEMA = 1;

/** What the user says about a recording. */
export interface About {
  /** null: not named. */
  readonly build: string | null;
  /** null: unknown. */
  readonly host: string | null;
  /** The name of its file. */
  readonly input: string;
}

export function recordingsTable({ id, profile, hasSwitches }: Grouped, { build, host, input }: About): Table {
  const { meta, quality, threads } = profile;
  const { recorded } = meta;
  const count = (name: string, value: number | bigint): Column => ({ name, kind: 'int64', at: () => value });
  const columns: readonly Column[] = [
    idColumn(id),
    text('build', build),
    text('host', host),
    { name: 'started_at', kind: 'time', isOptional: true, at: () => timeOf(recorded?.startedAt ?? null) },
    count('clock_start_ns', meta.originNs + BigInt(Math.round(meta.startNs))),
    count('duration_ns', meta.endNs - meta.startNs),
    { name: 'threads', kind: 'int32', at: () => threads.length },
    text('command', recorded?.command ? shellWords(recorded.command) : null),
    text('kernel', recorded?.kernel ?? null),
    text('cpu', recorded?.cpu ?? null),
    text('perf', recorded?.perf ?? null),
    { ...text('ptflame', PTFLAME_VERSION), isOptional: false },
    count('events', quality.events),
    count('total_ns', quality.totalNs),
    count('lost_ns', quality.lostNs),
    count('inferred_ns', quality.inferredNs),
    { name: 'has_switches', kind: 'flag', at: () => Number(hasSwitches) },
    text('part', meta.part),
    { ...text('input', input), isOptional: false },
    { name: 'schema', kind: 'int32', at: () => SCHEMA },
  ];
  return { name: 'recordings', rows: 1, columns };
}

/** Returns ms since 1970; null for what is no time. */
function timeOf(text: string | null): number | null {
  const ms = text === null ? Number.NaN : Date.parse(text);
  return Number.isNaN(ms) ? null : ms;
}
