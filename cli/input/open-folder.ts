/**
 * Opens the folder of a command, and names the files in it that do not count.
 */
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import type { LeftOut } from '../../src/fleet/folder.js';
import { type Fleet, openFleet } from '../../src/fleet/open-fleet.js';
import { limitMemory } from '../../src/pipeline/workers/memory-budget.js';
import { planResources } from '../../src/pipeline/workers/resources.js';
import { formatMany } from '../../src/render/format.js';
import { visibleText } from '../../src/render/visible-text.js';
import { statOrNull } from '../output/refuse-overwriting.js';
import { createTemporaryDirectory } from '../output/temporary-files.js';
import { notify } from '../terminal/notify.js';
import { refuseOtherKind } from './other-kinds.js';

/** Relative to `dist/cli`, the folder of all built files. */
const SQL = new URL('../../sql/', import.meta.url);

interface FolderOptions {
  readonly jobs?: number | undefined;
  readonly memory?: number | undefined;
  readonly tempDir?: string | undefined;
}

/** What Node, the program and DuckDB itself take; with little memory, DuckDB gets this share of it nevertheless. */
const PROGRAM_BYTES = 160 * 2 ** 20;
const DUCKDB_SHARE = 0.25;

export async function openFolder(path: string, options: FolderOptions, signal: AbortSignal): Promise<Fleet> {
  if (statOrNull(path)?.isDirectory() !== true) await refuseOtherKind(path);
  const { jobs, memory, tempDir } = options;
  const limits = memory === undefined ? {} : { memoryBytes: memory };
  limitMemory(limits); // for the rest of the process
  const { memoryBytes } = planResources(limits);
  const [tables, views] = await Promise.all(
    ['duckdb/tables.sql', 'views.sql'].map((file) => readFile(new URL(file, SQL), 'utf8')),
  );
  const fleet = await openFleet(
    path,
    { tables: tables as string, views: views as string },
    {
      ...(jobs !== undefined && { threads: jobs }),
      memoryBytes: Math.max(DUCKDB_SHARE * memoryBytes, memoryBytes - PROGRAM_BYTES),
      ...temporaryDirectory(tempDir),
      signal,
    },
  );
  for (const line of leftOutLines(fleet.leftOut)) notify(line);
  return fleet;
}

/** Without a directory that the user named, queries may do without. */
function temporaryDirectory(parent: string | undefined): { readonly temporaryDirectory?: string } {
  try {
    return { temporaryDirectory: createTemporaryDirectory(parent ?? tmpdir()) };
  } catch (error) {
    if (parent !== undefined) throw error;
    return {};
  }
}

/** More would hide the answer; JSON has all of them. */
const MAX_LINES = 10;

/** Warnings are also printed with --quiet: the answer lacks what they name. */
function leftOutLines(leftOut: readonly LeftOut[]): string[] {
  const more = leftOut.length - MAX_LINES;
  return [
    ...leftOut.slice(0, MAX_LINES).map(({ file, reason }) => `warning: not counted: ${visibleText(file)}: ${reason}`),
    ...(more > 0 ? [`warning: not counted: ${formatMany(more, 'more file')}; --json lists them all`] : []),
  ];
}
