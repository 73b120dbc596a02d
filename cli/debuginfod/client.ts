/**
 * Finds files by build id: in the cache, or on the servers of `DEBUGINFOD_URLS`. Reports failures, and never throws them.
 */
import { completeBuildId } from '../../src/symbols/symbolizer.js';
import { addMiss, cachePath, cacheState, type FileKind, replace } from './cache.js';
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
  private readonly settings: DebuginfodSettings;
  private readonly options: DebuginfodOptions;

  constructor(settings: DebuginfodSettings, options: DebuginfodOptions) {
    this.settings = settings;
    this.options = options;
  }

  /** Returns the path of the file in the cache, or null. @throws only if the signal aborts */
  async find(buildId: string, kind: FileKind): Promise<string | null> {
    const path = cachePath(this.settings.cache, buildId, kind);
    if (path === null) return null;
    const state = await cacheState(path, this.options.nowMs());
    if (state === 'absent') return null;
    if (state === 'present' && completeBuildId(path) === buildId) return path;
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
      if (completeBuildId(temporary) !== buildId) throw new Error('not a complete binary with this build id');
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
