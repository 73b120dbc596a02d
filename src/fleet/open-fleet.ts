/**
 * Opens a folder of exported tables for questions: the files that count, as tables and views of a database that can read nothing
 * else and write nothing.
 */
import { PtflameError } from '../model/errors.js';
import { Engine, type EngineOptions, sqlText } from './engine.js';
import {
  type FleetFolder,
  inOrder,
  type LeftOut,
  type PlacedRecording,
  readFolder,
  TABLES,
  type Table,
  tableFile,
} from './folder.js';
import { checkFunctions, checkRows } from './tables/check-tables.js';
import { FOREIGN } from './whole-file.js';

/** The SQL files that define tables and views: sql/duckdb/tables.sql and sql/views.sql. */
export interface FleetSql {
  readonly tables: string;
  readonly views: string;
}

export interface Fleet {
  readonly engine: Engine;
  readonly leftOut: readonly LeftOut[];
  close(): void;
}

/** The version of the tables that this program reads. */
const SCHEMA = '1';

/**
 * `path`: the folder.
 *
 * @throws PtflameError INPUT_UNREADABLE, NOTHING_SELECTED if no recording in it is complete, SYSTEM without DuckDB
 */
export async function openFleet(path: string, sql: FleetSql, options: EngineOptions = {}): Promise<Fleet> {
  const folder = readFolder(path);
  const engine = await Engine.open(options);
  try {
    const { recordings, leftOut } = await onlyOurs(folder, engine);
    if (recordings.length === 0) throw noRecordings(path, leftOut);
    const filesOf = (table: Table) => recordings.map((recording) => tableFile(folder, table, recording));
    for (const table of TABLES)
      await engine.run(`SET VARIABLE ${table}_files = [${filesOf(table).map(sqlText).join(', ')}]`);
    for (const table of ['recordings', 'functions', 'durations'] as const) await checkRows(engine, table); // paths: by who reads them
    await checkFunctions(engine);
    await engine.run(sql.tables);
    await engine.run(sql.views);
    await engine.lock(TABLES.flatMap(filesOf));
    return { engine, leftOut, close: () => engine.close() };
  } catch (error) {
    engine.close();
    throw error;
  }
}

function noRecordings(path: string, leftOut: readonly LeftOut[]): PtflameError {
  const first = leftOut[0];
  const why = first === undefined ? '' : `; ${first.file}: ${first.reason}`;
  return new PtflameError('NOTHING_SELECTED', `${path} has no complete recording${why}`, {
    hint: `export one: ptflame export RECORDING --to parquet:${path}`,
  });
}

/** Leaves out the recordings with a file that is not ours or of another version, as its metadata says. */
async function onlyOurs(folder: FleetFolder, engine: Engine): Promise<Pick<FleetFolder, 'recordings' | 'leftOut'>> {
  const files = folder.recordings.flatMap((recording) => TABLES.map((table) => tableFile(folder, table, recording)));
  const metadata = await metadataOf(files, engine);
  const leftOut: LeftOut[] = [...folder.leftOut];
  const recordings = folder.recordings.filter((recording) => {
    const faults = TABLES.flatMap((table) => {
      const reason = faultOf(metadata.get(tableFile(folder, table, recording)), table, recording);
      return reason === null ? [] : [{ file: tableFile({ path: '' }, table, recording), reason }];
    });
    leftOut.push(...faults);
    return faults.length === 0;
  });
  return { recordings, leftOut: inOrder(leftOut) };
}

type Metadata = ReadonlyMap<string, string>;

function faultOf(metadata: Metadata | undefined, table: Table, { id }: PlacedRecording): string | null {
  if (metadata === undefined) return 'it is damaged: its footer cannot be read';
  const schema = metadata.get('ptflame.schema');
  if (schema === undefined) return FOREIGN;
  if (schema !== SCHEMA) return `it has version ${schema} of the tables, and this ptflame reads version ${SCHEMA}`;
  const isThis = metadata.get('ptflame.table') === table && metadata.get('ptflame.id') === id;
  return isThis ? null : 'it is a file of another table or recording, under a wrong name';
}

/** Returns the metadata of each file whose footer can be read. */
async function metadataOf(files: readonly string[], engine: Engine): Promise<ReadonlyMap<string, Metadata>> {
  try {
    return await readMetadata(files, engine);
  } catch (error) {
    if (!(error instanceof PtflameError) || error.code !== 'INPUT_UNREADABLE') throw error; // interrupted, or too large
    if (files.length === 1) return new Map();
    const half = files.length >> 1; // few are damaged
    const [first, second] = [files.slice(0, half), files.slice(half)];
    return new Map([...(await metadataOf(first, engine)), ...(await metadataOf(second, engine))]);
  }
}

async function readMetadata(files: readonly string[], engine: Engine): Promise<Map<string, Map<string, string>>> {
  const found = new Map(files.map((file) => [file, new Map<string, string>()]));
  if (files.length === 0) return found;
  const { rows } = await engine.rows(
    `SELECT file_name, decode(key), decode(value) FROM parquet_kv_metadata([${files.map(sqlText).join(', ')}])`,
  );
  for (const [file, key, value] of rows) found.get(String(file))?.set(String(key), String(value));
  return found;
}
