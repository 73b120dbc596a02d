/**
 * Fetches binaries and debug symbols that are missing on this machine from debuginfod, before a recording is decoded.
 */
import { homedir } from 'node:os';
import { basename } from 'node:path';
import type { NeededFile } from '../../src/perfdata/pack/needed-files.js';
import type { Recording } from '../../src/perfdata/recording.js';
import { formatBytes, formatMany } from '../../src/render/format.js';
import { missingSharedId } from '../../src/symbols/debug-info.js';
import { buildIdWithoutSymbols } from '../../src/symbols/load-binary.js';
import type { SymbolRoots } from '../../src/symbols/symbol-files.js';
import { DISK_FILES } from '../../src/symbols/symbol-files.js';
import { notifier } from '../terminal/notify.js';
import { startStatusLine } from '../terminal/status-line.js';
import { DebuginfodClient } from './client.js';
import { debuginfodSettings } from './settings.js';

export interface FetchedBinaries {
  /** Directory of files by build id; null: debuginfod is not used. */
  readonly directory: string | null;
  /** Executables by recorded path. */
  readonly executables: ReadonlyMap<string, string>;
}

export const NOTHING_FETCHED: FetchedBinaries = { directory: null, executables: new Map() };

interface FetchOptions {
  readonly roots: SymbolRoots;
  readonly quiet: boolean;
  readonly signal: AbortSignal;
}

/** Requests at a time. */
const PARALLEL = 4;

/** `files`: all that the recording needs. */
export async function fetchBinaries(
  recording: Recording,
  files: readonly NeededFile[],
  { roots, quiet, signal }: FetchOptions,
): Promise<FetchedBinaries> {
  const notify = notifier(quiet);
  const settings = debuginfodSettings(process.env, homedir(), notify);
  if (settings === null) {
    notify('warning: --debuginfod: DEBUGINFOD_URLS names no server');
    return NOTHING_FETCHED;
  }
  const client = new DebuginfodClient(settings, { signal, notify, nowMs: Date.now });
  const executables = new Map<string, string>();
  const ran = ranFiles(recording);
  const wanted = files.filter(({ path }) => ran.has(path));
  let current = '';
  const line = startStatusLine(quiet, (width) =>
    `fetching ${current} from debuginfod  ${formatBytes(client.bytes)}`.slice(0, width),
  );
  try {
    await inParallel(wanted, async ({ path, state, buildId }) => {
      current = basename(path);
      const executable = state === 'same' || buildId === null ? null : await client.find(buildId, 'executable');
      if (executable !== null) executables.set(path, executable);
      if (state !== 'same' && executable === null) return; // it cannot be decoded
      const symbolRoots = { ...roots, debuginfod: settings.cache };
      const nameless = buildIdWithoutSymbols(path, buildId, DISK_FILES, symbolRoots);
      if (nameless !== null) await client.find(nameless, 'debuginfo');
      const shared = missingSharedId(path, buildId, DISK_FILES, symbolRoots);
      if (shared !== null) await client.find(shared, 'debuginfo');
    });
  } finally {
    line.stop();
  }
  if (client.files > 0)
    notify(`note: fetched ${formatMany(client.files, 'file')} (${formatBytes(client.bytes)}) from debuginfod`);
  return { directory: settings.cache, executables };
}

async function inParallel<T>(items: readonly T[], run: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  const work = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await run(item);
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
}

/**
 * Lists the files that were mapped into processes that ran: a recording of all CPUs has the mappings of all processes.
 *
 * Returns their recorded paths, as text.
 */
function ranFiles({ sideband }: Recording): Set<string> {
  const pids = ranPids(sideband);
  const files = new Set<string>();
  for (const { record } of sideband)
    if (record.what === 'mmap' && pids.has(record.pid)) files.add(Buffer.from(record.file, 'latin1').toString());
  return files;
}

/** A process also has the mappings that its parent had when it forked. */
function ranPids(sideband: Recording['sideband']): Set<number> {
  const pids = new Set<number>();
  const parentOf = new Map<number, number>();
  for (const { record, pid, next } of sideband) {
    if (record.what === 'traced') pids.add(record.pid);
    if (record.what === 'switch') pids.add(pid);
    if (record.what === 'fork' && record.pid !== record.parentPid) parentOf.set(record.pid, record.parentPid);
    if (next !== undefined) pids.add(next.pid);
  }
  for (const pid of pids) {
    const parent = parentOf.get(pid);
    if (parent !== undefined) pids.add(parent); // sets visit what is added during the loop
  }
  return pids;
}
