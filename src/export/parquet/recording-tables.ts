/**
 * A profile → the Parquet files of one recording in a folder of many: docs/parquet.md.
 */
import type { Profile } from '../../model/profile/profile.js';
import { durationsTable, functionsTable } from './functions.js';
import { grouped } from './groups.js';
import { pathsTable } from './paths.js';
import { type About, recordingsTable, SCHEMA } from './recordings.js';
import { tableBytes } from './table.js';

/** In the order in which files get their names: a recording counts once it is in the last one. */
export const TABLES = ['paths', 'functions', 'durations', 'recordings'] as const;
type OwnTable = (typeof TABLES)[number];
/** `calls`: on request, made while the recording is replayed. */
export type TableName = OwnTable | 'calls';

/** Returns the bytes of a file for each table. `id`: 64 hex digits. */
export function recordingTables(
  id: string,
  profile: Profile,
  about: About,
): Readonly<Record<OwnTable, () => Iterable<Uint8Array>>> {
  const recording = grouped(id, profile);
  const make = {
    paths: () => pathsTable(recording),
    functions: () => functionsTable(recording),
    durations: () => durationsTable(recording),
    recordings: () => recordingsTable(recording, about),
  };
  const bytes = (name: OwnTable) => () => tableBytes(make[name](), fileAbout(name, id));
  return {
    paths: bytes('paths'),
    functions: bytes('functions'),
    durations: bytes('durations'),
    recordings: bytes('recordings'),
  };
}

/** Returns the metadata that tell our files from others. `id`: null if the file is not one of many. */
export function fileAbout(table: TableName, id: string | null): Record<string, string> {
  return { 'ptflame.schema': String(SCHEMA), 'ptflame.table': table, ...(id !== null && { 'ptflame.id': id }) };
}
