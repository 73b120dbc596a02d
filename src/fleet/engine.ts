/**
 * Runs queries on DuckDB, an optional package that is loaded here and nowhere else.
 */
import type {
  DuckDBBigIntVector,
  DuckDBConnection,
  DuckDBDoubleVector,
  DuckDBInstance,
  DuckDBResult,
  DuckDBTypeId,
  DuckDBVector,
} from '@duckdb/node-api';
import { PtflameError } from '../model/errors.js';
import { checkMemory } from '../model/memory.js';

export interface EngineOptions {
  /** Default: DuckDB's, one per CPU. */
  readonly threads?: number;
  /** For DuckDB. Default: its own, four fifths of the machine's. The process is watched as `watchMemory` says. */
  readonly memoryBytes?: number;
  /** For what does not fit into memory, up to so many times `memoryBytes`. Default: none, so that nothing is written. */
  readonly temporaryDirectory?: string;
  readonly signal?: AbortSignal;
}

/** Numbers beyond 2^53 are texts; so are dates, lists and whatever else JSON does not have. */
export type Cell = string | number | boolean | null;

export interface Rows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

/** The values of a column. */
export type Values = BigInt64Array | Float64Array | readonly Cell[];

/** The version that ptflame is tested with; package.json names it, too. */
export const DUCKDB = '@duckdb/node-api@1.5.6-r.1';

/** What queries may write to temporary files, as a multiple of their memory. */
const TEMPORARY_SHARE = 16;
/** How often the memory of the process is looked at while a query runs. */
const WATCH_MS = 50;

/** A database in memory. */
export class Engine {
  private readonly interrupt = () => this.connection.interrupt();

  private constructor(
    private readonly instance: DuckDBInstance,
    private readonly connection: DuckDBConnection,
    private readonly signal: AbortSignal | undefined,
  ) {
    signal?.addEventListener('abort', this.interrupt);
  }

  /** @throws PtflameError SYSTEM if DuckDB is not installed */
  static async open({ threads, memoryBytes, temporaryDirectory, signal }: EngineOptions): Promise<Engine> {
    const { DuckDBInstance } = await loadDuckDb();
    const instance = await DuckDBInstance.create(':memory:', {
      temp_directory: temporaryDirectory ?? '',
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
      ...(threads !== undefined && { threads: String(threads) }),
      ...(memoryBytes !== undefined && { memory_limit: `${Math.floor(memoryBytes)}B` }),
      ...(memoryBytes !== undefined &&
        temporaryDirectory !== undefined && {
          max_temp_directory_size: `${Math.floor(TEMPORARY_SHARE * memoryBytes)}B`,
        }),
    });
    return new Engine(instance, await instance.connect(), signal);
  }

  /** Runs statements of ours. */
  async run(sql: string): Promise<void> {
    await this.guarded(() => this.connection.run(sql));
  }

  /** Returns the rows of a query of ours. `values`: of its parameters $1, $2, … */
  async rows(sql: string, values: readonly string[] = []): Promise<Rows> {
    return this.guarded(async () => rowsOf(await this.connection.stream(sql, [...values])));
  }

  /** Returns each column of a query of ours. BIGINT and DOUBLE become typed arrays, and must have no NULL. */
  async columns(sql: string): Promise<readonly Values[]> {
    const { DuckDBTypeId } = await loadDuckDb();
    const { result, chunks } = await this.guarded(async () => {
      const found = await this.connection.run(sql);
      return { result: found, chunks: await found.fetchAllChunks() };
    });
    return Array.from({ length: result.columnCount }, (_, column) => {
      const vectors = chunks.map((chunk) => chunk.getColumnVector(column));
      return valuesOf(result.columnTypeId(column), vectors, DuckDBTypeId);
    });
  }

  /**
   * Lets queries read these files and nothing else, and write nothing. The second cannot be left to the setting alone:
   * what may be read could be overwritten. So `ask` accepts nothing but SELECT.
   */
  async lock(files: readonly string[]): Promise<void> {
    await this.run(`SET allowed_paths = [${files.map(sqlText).join(', ')}]`);
    await this.run('SET enable_external_access = false');
    await this.run('SET lock_configuration = true');
  }

  /** Returns the rows of a user's query. @throws PtflameError BAD_OPTION unless it is one SELECT that DuckDB can run */
  async ask(sql: string): Promise<Rows> {
    const { StatementType } = await loadDuckDb();
    return this.guarded(async () => {
      const statements = sql.trim() === '' ? null : await this.connection.extractStatements(sql);
      if (statements?.count !== 1) throw notOneSelect();
      const statement = await statements.prepare(0);
      if (statement.statementType !== StatementType.SELECT) throw notOneSelect();
      return rowsOf(await statement.stream());
    }, badQuery);
  }

  close(): void {
    this.signal?.removeEventListener('abort', this.interrupt);
    this.connection.closeSync();
    this.instance.closeSync();
  }

  /** Interrupts the work if the process needs more memory than it may have: DuckDB's limit does not count everything. */
  private async guarded<Result>(work: () => Promise<Result>, explain = badTables): Promise<Result> {
    this.signal?.throwIfAborted();
    let refusal: unknown = null;
    const watch = setInterval(() => {
      try {
        checkMemory();
      } catch (error) {
        refusal = error;
        this.connection.interrupt();
      }
    }, WATCH_MS);
    try {
      const result = await work();
      this.signal?.throwIfAborted();
      if (refusal !== null) throw refusal; // between two chunks, an interrupt looks like the end of the rows
      return result;
    } catch (error) {
      this.signal?.throwIfAborted();
      const isTooLarge = refusal !== null || /^Out of Memory Error/.test(firstLine(error)) || isRefusal(error);
      if (isTooLarge) throw tooLarge(refusal ?? error);
      throw error instanceof PtflameError ? error : explain(error);
    } finally {
      clearInterval(watch);
    }
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof PtflameError && error.code === 'TOO_LARGE';
}

function tooLarge(cause: unknown): PtflameError {
  return new PtflameError('TOO_LARGE', 'the query needs more memory than --memory allows', {
    hint: 'allow more with --memory SIZE, or ask for less: sums instead of rows, WHERE, LIMIT',
    cause,
  });
}

function badTables(cause: unknown): PtflameError {
  return new PtflameError('INPUT_UNREADABLE', `the tables cannot be read: ${firstLine(cause)}`, {
    hint: 'remove the file that the message names, and export its recording again',
    cause,
  });
}

/** Reads rows as they are found, so that only one chunk of them is in the memory of both. */
async function rowsOf(result: DuckDBResult): Promise<Rows> {
  const rows: Cell[][] = [];
  for await (const chunk of result.yieldRowsJs()) {
    for (const row of chunk) rows.push(row.map(cellOf));
    checkMemory();
  }
  return { columns: result.deduplicatedColumnNames(), rows };
}

/** Returns a text as SQL writes it. */
export function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

async function loadDuckDb(): Promise<typeof import('@duckdb/node-api')> {
  try {
    return await import('@duckdb/node-api');
  } catch (cause) {
    const isMissing = /^Cannot find (module|package) '@duckdb\/node-api'/.test(firstLine(cause));
    throw new PtflameError(
      'SYSTEM',
      isMissing ? 'DuckDB is not installed, which reads the tables' : `DuckDB cannot be loaded: ${firstLine(cause)}`,
      { hint: `install it next to ptflame: npm install ${DUCKDB} (71 MB; with -g if ptflame was)`, cause },
    );
  }
}

/** Copies the values of a column. A loop for each type: shared by all types, it would take twice the time. */
function valuesOf(type: DuckDBTypeId, vectors: readonly DuckDBVector[], types: typeof DuckDBTypeId): Values {
  const length = vectors.reduce((sum, { itemCount }) => sum + itemCount, 0);
  let row = 0;
  if (type === types.BIGINT) {
    const values = new BigInt64Array(length);
    for (const vector of vectors as DuckDBBigIntVector[])
      for (let at = 0; at < vector.itemCount; at++) values[row++] = vector.getItem(at) as bigint;
    return values;
  }
  if (type === types.DOUBLE) {
    const values = new Float64Array(length);
    for (const vector of vectors as DuckDBDoubleVector[])
      for (let at = 0; at < vector.itemCount; at++) values[row++] = vector.getItem(at) as number;
    return values;
  }
  const values: Cell[] = [];
  for (const vector of vectors) for (let at = 0; at < vector.itemCount; at++) values.push(vector.getItem(at) as Cell);
  return values;
}

function notOneSelect(): PtflameError {
  return new PtflameError('BAD_OPTION', '--sql must be one SELECT statement', {
    hint: "it only reads: ptflame fleet DIR --sql 'SELECT * FROM recordings'; docs/fleet.md lists tables and views",
  });
}

function badQuery(cause: unknown): PtflameError {
  return new PtflameError('BAD_OPTION', `the query fails: ${firstLine(cause)}`, {
    hint: 'docs/fleet.md lists tables, views and columns',
    output: String((cause as Error | null)?.message ?? '')
      .split('\n')
      .slice(1)
      .filter((line) => line.trim() !== ''),
    cause,
  });
}

function firstLine(error: unknown): string {
  return String((error as Error | null)?.message ?? error).split('\n')[0] as string;
}

function cellOf(value: unknown): Cell {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'bigint') return isExact(value) ? Number(value) : String(value);
  return value instanceof Date ? value.toISOString() : JSON.stringify(value, bigIntsAsTexts);
}

function isExact(value: bigint): boolean {
  return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER;
}

function bigIntsAsTexts(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
