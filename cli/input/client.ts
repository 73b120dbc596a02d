/**
 * Finds files by build id: in the cache, or on the servers of `DEBUGINFOD_URLS`. Reports failures, and never throws them.
 */

import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { completeBuildId, DISK_FILES } from '../../src/symbols/symbol-files.js';
import { type DownloadOptions, download, reasonOf, ServerUnusable } from './download.js';
import type { DebuginfodSettings } from './settings.js';

export interface DebuginfodOptions {
  readonly signal: AbortSignal;
  /** Receives a line for each failure. */
  readonly notify: (line: string) => void;
  readonly nowMs: () => number;
  /** Default: how local an address is. */
  readonly localityOf?: DownloadOptions['localityOf'];
}

const MAX_NOTICES = 5;

export class DebuginfodClient {
  /** Bytes and complete files that were downloaded. */
  bytes = 0;
  files = 0;
  private failures = 0;
  private readonly unusable = new Set<URL>();

  constructor(
    private readonly settings: DebuginfodSettings,
    private readonly options: DebuginfodOptions,
  ) {}

  /** Returns the path of the file in the cache, or null. @throws only if the signal aborts */
  async find(buildId: string, kind: FileKind): Promise<string | null> {
    const path = cachePath(this.settings.cache, buildId, kind);
    if (path === null) return null;
    const state = await cacheState(path, this.options.nowMs());
    if (state === 'absent') return null;
    if (state === 'present' && completeBuildId(path, DISK_FILES) === buildId) return path;
    return (await this.fetch(path, buildId, kind)) ? path : null;
  }

  private async fetch(path: string, buildId: string, kind: FileKind): Promise<boolean> {
    let answers = 0;
    for (const server of this.settings.servers) {
      if (this.unusable.has(server)) continue;
      try {
        if (await this.fetchFrom(server, path, buildId, kind)) return true;
        answers++;
      } catch (error) {
        this.options.signal.throwIfAborted();
        this.reportFailure(server, buildId, kind, error);
      }
    }
    if (answers === this.settings.servers.length) await addMiss(path).catch(() => {});
    return false;
  }

  private async fetchFrom(server: URL, path: string, buildId: string, kind: FileKind): Promise<boolean> {
    const url = new URL(`buildid/${buildId}/${kind}`, server);
    const onBytes = (bytes: number) => {
      this.bytes += bytes;
    };
    const { signal, localityOf } = this.options;
    const options = { ...this.settings, signal, onBytes, ...(localityOf && { localityOf }) };
    const isThere = await replace(path, async (temporary) => {
      if (!(await download(url, temporary, options))) return false;
      if (completeBuildId(temporary, DISK_FILES) !== buildId)
        throw new Error('not a complete binary with this build id');
      return true;
    });
    if (isThere) this.files++;
    return isThere;
  }

  private reportFailure(server: URL, buildId: string, kind: FileKind, error: unknown): void {
    const isUnusable = error instanceof ServerUnusable;
    if (isUnusable && this.unusable.has(server)) return; // asked for several files at once
    if (isUnusable) this.unusable.add(server);
    if (++this.failures > MAX_NOTICES) return;
    const end = isUnusable ? '; not asked again' : '';
    this.options.notify(`warning: ${kind} ${buildId} from ${server.origin}: ${reasonOf(error)}${end}`);
  }
}

/**
 * The cache of elfutils' debuginfod client: `BUILDID/executable`, `BUILDID/debuginfo`. An empty file means that no server has it.
 */
type FileKind = 'executable' | 'debuginfo';

/** After this time, servers are asked again for a file that they did not have. */
const MISS_MS = 600_000;
const BUILD_ID = /^(?:[0-9a-f]{2}){4,64}$/;

/** Returns null if it is not a build id, which becomes part of a path and of a URL. */
function cachePath(cache: string, buildId: string, kind: FileKind): string | null {
  return BUILD_ID.test(buildId) ? join(cache, buildId, kind) : null;
}

/** Returns whether the cache has the file, knows that no server has it, or does not know. */
async function cacheState(path: string, nowMs: number): Promise<'present' | 'absent' | 'unknown'> {
  const found = await stat(path).catch(() => null);
  if (found === null || !found.isFile()) return 'unknown';
  if (found.size > 0) return 'present';
  return Math.abs(nowMs - found.mtimeMs) < MISS_MS ? 'absent' : 'unknown'; // the clock may have been set back
}

/** Notes that no server has a file. */
async function addMiss(path: string): Promise<void> {
  await replace(path, async (temporary) => {
    await writeFile(temporary, '');
    return true;
  });
}

/** Writes a file under another name, and moves it into place if `write` returns true. */
async function replace(path: string, write: (temporary: string) => Promise<boolean>): Promise<boolean> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    const isWritten = await write(temporary);
    if (isWritten) await rename(temporary, path);
    return isWritten;
  } finally {
    await rm(temporary, { force: true });
  }
}
