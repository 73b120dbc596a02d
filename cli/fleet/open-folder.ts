/**
 * Opens the folder of a command, and names the files in it that do not count.
 */
import { readFile } from 'node:fs/promises';
import { type Fleet, type LeftOut, openFleet } from '../../src/fleet.js';
import { formatMany, visibleText } from '../../src/text.js';
import { notify } from '../terminal/notify.js';

/** Relative to `dist/cli`, the folder of all built files. */
const SQL = new URL('../../sql/', import.meta.url);

interface FolderOptions {
  readonly jobs?: number | undefined;
  readonly memory?: number | undefined;
  readonly tempDir?: string | undefined;
}

export async function openFolder(path: string, options: FolderOptions, signal: AbortSignal): Promise<Fleet> {
  const { jobs, memory, tempDir } = options;
  const [tables, views] = await Promise.all(
    ['duckdb/tables.sql', 'views.sql'].map((file) => readFile(new URL(file, SQL), 'utf8')),
  );
  const fleet = await openFleet(
    path,
    { tables: tables as string, views: views as string },
    {
      ...(jobs !== undefined && { threads: jobs }),
      ...(memory !== undefined && { memoryBytes: memory }),
      ...(tempDir !== undefined && { temporaryDirectory: tempDir }),
      signal,
    },
  );
  for (const line of leftOutLines(fleet.leftOut)) notify(line);
  return fleet;
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
