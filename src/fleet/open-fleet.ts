/**
 * Opens a folder of exported tables for questions: the files that count, as tables and views of a database that can read nothing
 * else and write nothing.
 */
import { PtflameError } from '../model/errors.js';
import { Engine, type EngineOptions, sqlText } from './engine.js';
import {
  type FleetFolder,
  FOREIGN,
  inOrder,
  type LeftOut,
  type PlacedRecording,
  readFolder,
  TABLES,
  type Table,
  tableFile,
} from './folder.js';

/** The SQL files that define tables and views: sql/duckdb/tables.sql and sql/views.sql. */
interface FleetSql {
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

// Refuses files with rows that `ptflame export` cannot have written: sums of such rows would be wrong, and not only for their
// recording.

/** What the questions need of a table; columns that are not named may hold anything. */
interface Rules {
  /** Whole numbers from 0 on. */
  readonly counts: readonly string[];
  /** The same, or NULL. */
  readonly countsOrNull: readonly string[];
  readonly hashes: readonly string[];
  readonly texts: readonly string[];
  readonly textsOrNull: readonly string[];
  /** Columns of other Parquet types. */
  readonly others?: Readonly<Record<string, string>>;
  /** Counts whose sum must be exact. Sums of times may be rounded. */
  readonly summed: readonly string[];
  /** What must be true of each row, in SQL. */
  readonly relations: readonly string[];
}

const CALLS = ['calls', 'inferred_calls', 'unwound_calls', 'self_ns', 'inferred_ns', 'complete_ns'];
const RANGE = ['longest_cut_ns', 'min_ns', 'max_ns'];
const CALL_RELATIONS = [
  'inferred_calls + unwound_calls <= calls',
  'inferred_ns <= self_ns',
  '(min_ns IS NULL) = (calls = inferred_calls)',
  '(max_ns IS NULL) = (calls = inferred_calls)',
  'coalesce(min_ns <= max_ns, true)',
  'coalesce(longest_cut_ns, 0) = 0 OR inferred_calls > 0',
];

const RULES: Readonly<Record<Table, Rules>> = {
  recordings: {
    counts: ['duration_ns', 'events', 'total_ns', 'lost_ns', 'inferred_ns'],
    countsOrNull: [],
    hashes: [],
    texts: ['id'],
    textsOrNull: ['build', 'host', 'input'],
    others: { has_switches: 'BOOLEAN/.*', started_at: 'INT64/TIMESTAMP_.*' },
    summed: ['events'],
    relations: ['lost_ns <= total_ns', 'inferred_ns <= total_ns'],
  },
  functions: {
    counts: [...CALLS, 'total_ns', 'on_cpu_ns', 'off_cpu_ns', 'outside_ns', 'outside_self_ns'],
    countsOrNull: [...RANGE, 'source_line'],
    hashes: ['function'],
    texts: ['id', 'name', 'kind'],
    textsOrNull: ['file', 'source_file'],
    summed: ['calls'],
    relations: [
      ...CALL_RELATIONS.filter((relation) => !relation.startsWith('inferred_ns')), // also of its stops
      'coalesce(source_line > 0, true)',
    ],
  },
  durations: {
    counts: ['bucket_low_ns', 'bucket_high_ns', 'calls'],
    countsOrNull: [],
    hashes: ['function'],
    texts: ['id'],
    textsOrNull: [],
    summed: ['calls'],
    relations: ['bucket_low_ns <= bucket_high_ns', 'calls > 0'],
  },
  paths: {
    counts: [...CALLS, 'depth'],
    countsOrNull: RANGE,
    hashes: ['path', 'function'],
    texts: ['id', 'name', 'kind'],
    textsOrNull: ['comm', 'file'],
    summed: ['calls'],
    relations: [...CALL_RELATIONS, '(parent IS NULL) = (depth < 2)', '(path = 0) = (depth = 0)'],
  },
};

/** Sums and comparisons of larger ones are not exact. */
const MAX = Number.MAX_SAFE_INTEGER;

/** @throws PtflameError INPUT_UNREADABLE that names the file and its first fault */
export async function checkRows(engine: Engine, table: Table): Promise<void> {
  const { counts, countsOrNull, hashes, texts, relations } = RULES[table];
  await refuseOtherColumns(engine, table);
  const shown = (column: string) => `'${column} is ' || coalesce(left(CAST(${column} AS VARCHAR), 80), 'NULL')`;
  const faults = [
    ...[...hashes, ...texts].map((column) => [`${column} IS NULL`, shown(column)]),
    ...counts.map((column) => [`${column} IS NULL OR ${column} NOT BETWEEN 0 AND ${MAX}`, shown(column)]),
    ...countsOrNull.map((column) => [`${column} NOT BETWEEN 0 AND ${MAX}`, shown(column)]),
    [`NOT contains(filename, id || '.parquet')`, `'id is ' || left(id, 80)`],
    ...relations.map((relation) => [`NOT (${relation})`, sqlText(`not ${relation}`)]),
  ];
  const { rows } = await engine.rows(`
    SELECT filename, fault FROM (
      SELECT filename, CASE ${faults.map(([test, text]) => `WHEN ${test} THEN ${text}`).join(' ')} END AS fault
      FROM ${filesOf(table)}
    ) WHERE fault IS NOT NULL ORDER BY ALL LIMIT 1`);
  if (rows[0] !== undefined) throw damagedTable(String(rows[0][0]), `a row is impossible: ${rows[0][1]}`);
  await refuseSums(engine, table);
}

async function refuseSums(engine: Engine, table: Table): Promise<void> {
  for (const column of RULES[table].summed) {
    const file = await fileBeyond(engine, table, column);
    if (file !== null) throw damagedTable(file, `its ${column} add up to more than ${MAX} with the other files`);
  }
  if (table !== 'recordings') return;
  const { rows } = await engine.rows(`
    SELECT f.file, count(r.filename) FROM (SELECT unnest(getvariable('recordings_files')) AS file) AS f
    LEFT JOIN ${filesOf(table)} AS r ON r.filename = f.file
    GROUP BY f.file HAVING count(r.filename) <> 1 ORDER BY ALL LIMIT 1`);
  if (rows[0] !== undefined) throw damagedTable(String(rows[0][0]), `it has ${rows[0][1]} rows, not one`);
}

/** Returns the file with the largest value of a column if all values together are beyond 2^53, or null. */
async function fileBeyond(engine: Engine, table: Table, column: string): Promise<string | null> {
  const { rows } = await engine.rows(
    `SELECT arg_max(t.filename, t.${column}) FROM ${filesOf(table)} AS t HAVING sum(t.${column}) > ${MAX}`,
  );
  return rows[0] === undefined ? null : String(rows[0][0]);
}

/** A profile holds no more. @throws PtflameError TOO_LARGE that names the file with most of the time */
export async function checkTime(engine: Engine, table: Table, column: string): Promise<void> {
  const file = await fileBeyond(engine, table, column);
  if (file === null) return;
  throw new PtflameError(
    'TOO_LARGE',
    `the recordings add up to more than 104 days (2^53 ns): ${file} has the longest`,
    {
      hint: 'merge fewer of them; if that file is damaged, remove it',
    },
  );
}

/** @throws PtflameError INPUT_UNREADABLE that names a file with a function that is not in the table of functions, if there is one */
export async function checkKnown(engine: Engine, table: 'paths' | 'durations'): Promise<void> {
  const { rows } = await engine.rows(`
    SELECT t.filename FROM ${filesOf(table)} AS t
    WHERE ${table === 'paths' ? 't.path <> 0 AND ' : ''}t.function NOT IN (SELECT f.function FROM ${filesOf('functions')} AS f) ORDER BY ALL LIMIT 1`);
  if (rows[0] !== undefined) throw damagedTable(String(rows[0][0]), 'it has functions that the table functions lacks');
}

/** By Parquet's types: DuckDB would take the types of the first file for all, and round the numbers of others. */
async function refuseOtherColumns(engine: Engine, table: Table): Promise<void> {
  const { counts, countsOrNull, hashes, texts, textsOrNull, others = {} } = RULES[table];
  const wanted = [
    ...[...counts, ...countsOrNull, ...hashes].map((column) => `('${column}', 'INT(32|64)/(INT_\\d+)?')`),
    ...[...texts, ...textsOrNull].map((column) => `('${column}', 'BYTE_ARRAY/UTF8')`),
    ...Object.entries(others).map(([column, type]) => `('${column}', '${type}')`),
  ];
  const { rows } = await engine.rows(`
    SELECT f.file, w.name, t.type FROM (SELECT unnest(getvariable('${table}_files')) AS file) AS f
    CROSS JOIN (VALUES ${wanted.join(', ')}) AS w(name, pattern)
    LEFT JOIN (
      SELECT file_name, name, type || '/' || coalesce(converted_type, '') AS type
      FROM parquet_schema(getvariable('${table}_files')) WHERE type IS NOT NULL
    ) AS t ON t.file_name = f.file AND t.name = w.name
    WHERE NOT coalesce(regexp_full_match(t.type, w.pattern), false) ORDER BY ALL LIMIT 1`);
  const [file, column, type] = rows[0] ?? [];
  if (file === undefined) return;
  throw damagedTable(
    String(file),
    type === null ? `it has no column ${column}` : `its column ${column} is of type ${type}`,
  );
}

/** A function has one number, and a number one function. @throws PtflameError INPUT_UNREADABLE, likewise */
async function checkFunctions(engine: Engine): Promise<void> {
  const named = `(f.name || chr(0) || coalesce(f.file, ''))`;
  for (const [group, other] of [
    ['f.function', named],
    [named, 'f.function'],
  ]) {
    const { rows } = await engine.rows(`
      SELECT arg_min(f.filename, ${other}), arg_max(f.filename, ${other}), left(min(f.name), 80)
      FROM ${filesOf('functions')} AS f GROUP BY ${group} HAVING min(${other}) <> max(${other}) ORDER BY ALL LIMIT 1`);
    const [first, last, name] = rows[0] ?? [];
    if (rows.length > 0)
      throw damagedTable(
        String(first),
        `it contradicts ${last === first ? 'itself' : last} about the function ${name}`,
      );
  }
}

/** Each caller is one call higher up, so that paths cannot form circles. @throws PtflameError INPUT_UNREADABLE, likewise */
export async function checkCallers(engine: Engine): Promise<void> {
  const { rows } = await engine.rows(`
    SELECT c.filename, left(c.name, 80) FROM ${filesOf('paths')} AS c
    LEFT JOIN ${filesOf('paths')} AS p ON p.filename = c.filename AND p.comm IS NOT DISTINCT FROM c.comm
      AND p.path = c.parent AND p.depth = c.depth - 1
    WHERE c.parent IS NOT NULL AND p.path IS NULL ORDER BY ALL LIMIT 1`);
  const [file, name] = rows[0] ?? [];
  if (file !== undefined)
    throw damagedTable(String(file), `the caller of ${name} is not there, or calls it in a circle`);
  const twice = await engine.rows(`
    SELECT arg_min(c.filename, c.path), arg_max(c.filename, c.path), left(min(c.name), 80) FROM ${filesOf('paths')} AS c
    GROUP BY c.parent, c.function HAVING min(c.path) <> max(c.path)
    UNION ALL
    SELECT arg_min(c.filename, (c.parent, c.function)), arg_max(c.filename, (c.parent, c.function)), left(min(c.name), 80)
    FROM ${filesOf('paths')} AS c GROUP BY c.path
    HAVING min((c.parent, c.function)) <> max((c.parent, c.function)) ORDER BY ALL LIMIT 1`);
  const [first, last, called] = twice.rows[0] ?? [];
  if (first !== undefined)
    throw damagedTable(
      String(first),
      `it contradicts ${last === first ? 'itself' : last} about the calls of ${called}`,
    );
}

function filesOf(table: Table): string {
  return `read_parquet(getvariable('${table}_files'), filename = true, hive_partitioning = false)`;
}

function damagedTable(file: string, what: string): PtflameError {
  return new PtflameError('INPUT_UNREADABLE', `${file} is damaged: ${what}`, {
    hint: 'remove the file, and export its recording again',
  });
}
