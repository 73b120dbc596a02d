/**
 * Opens files as inputs by their paths. In a browser, `src/web/engine/open-sources.ts` takes its place: files are dropped there.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstBytes } from '../perfdata/open-recording.js';
import { readPack } from '../perfdata/pack/read-pack.js';
import { PACK_PATHS } from '../perfdata/recognize.js';
import { decodable, openRecorded } from './open-recorded.js';
import { openTraceFile } from './open-text.js';
import { kindOfInput } from './other-kinds.js';
import type { AnalyzedInput } from './read/read-trace.js';
import { openStoredTrace } from './stored-trace.js';

/** A path in Node, a file in a browser. */
export type TraceSource = string | File;

export interface OpenSourcesOptions {
  /** Directory with the binaries that were recorded, at their recorded paths. Default: those of this machine. */
  readonly symfs?: string;
  readonly temporaryDirectory?: string;
  /** Such as `parse..reply`: in recordings without Intel PT, what is between two probes is a call. Default: none. */
  readonly spans?: readonly string[];
  readonly signal?: AbortSignal;
}

export interface OpenedSources {
  readonly inputs: readonly AnalyzedInput[];
  /** Removes what was unpacked. */
  close(): void;
}

/** @throws PtflameError if a file cannot be read, or is damaged, or only perf decodes it */
export async function openSources(
  sources: readonly (TraceSource | AnalyzedInput)[],
  options: OpenSourcesOptions,
): Promise<OpenedSources> {
  const folders: string[] = [];
  const close = () => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  };
  try {
    const inputs: AnalyzedInput[] = [];
    for (const source of sources) inputs.push(await opened(source, options, folders));
    return { inputs, close };
  } catch (error) {
    close();
    throw error;
  }
}

/** `folders`: those that were made for what was unpacked. */
async function opened(
  source: TraceSource | AnalyzedInput,
  options: OpenSourcesOptions,
  folders: string[],
): Promise<AnalyzedInput> {
  if (typeof source !== 'string') {
    if (source instanceof Blob) throw new TypeError('in Node, files are named by their paths');
    return source;
  }
  const { symfs = '', signal, spans } = options;
  switch (kindOfInput(firstBytes(source))) {
    case 'recording':
      return decodable(await openRecorded(source, { signal }), null, { root: symfs, cache: null }, spans).input;
    case 'pack':
      return openPack(source, options, folders);
    case 'stored':
      return openStoredTrace(source);
    case 'text':
      return openTraceFile(source);
  }
}

async function openPack(path: string, options: OpenSourcesOptions, folders: string[]): Promise<AnalyzedInput> {
  const { temporaryDirectory = tmpdir(), signal = new AbortController().signal } = options;
  const folder = mkdtempSync(join(temporaryDirectory, 'ptflame-'));
  folders.push(folder);
  await readPack(path, folder, signal);
  const name = `the recording in ${path}`;
  const read = await openRecorded(join(folder, PACK_PATHS.recording), {
    name,
    shownPath: PACK_PATHS.recording,
    signal,
  });
  const roots = { root: join(folder, PACK_PATHS.root), cache: join(folder, PACK_PATHS.buildIdCache) };
  return decodable({ ...read, name: path }, null, roots).input;
}
