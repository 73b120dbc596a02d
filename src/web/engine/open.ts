/**
 * Opens the files that were dropped together as inputs of one trace, or as a profile.
 */
import { detectInputKind, type OpenedInput, openTraceFile } from '../../pipeline/open-text.js';
import type { AnalyzedInput } from '../../pipeline/read/read-trace.js';
import { openStoredTrace } from '../../pipeline/stored-trace.js';
import type { EngineProgress, NeededBinaries, OpenOptions } from '../messages.js';
import { type Input, sortDropped } from './dropped.js';
import { mount } from './host/files.js';
import { openDroppedRecording, openPack } from './open-recording.js';

export interface Opened {
  /** Of the first file, without what tells its kind. */
  readonly name: string;
  readonly inputs: readonly (AnalyzedInput & { readonly sizeBytes?: number | null })[];
  /** A profile, which is no trace; null: the inputs are one. */
  readonly profile: OpenedInput | null;
  readonly notes: readonly string[];
}

/** Not all files that ran are here. */
export class NeedsBinaries extends Error {
  readonly needs: NeededBinaries;

  constructor(needs: NeededBinaries) {
    super('binaries are missing');
    this.needs = needs;
  }
}

/** Enough to recognize a pack. */
const FIRST_BYTES = 4096;

/** @throws NeedsBinaries; PtflameError as inputs of the command line */
export async function openDropped(
  files: readonly File[],
  options: OpenOptions,
  tell: (progress: EngineProgress) => void,
): Promise<Opened> {
  const firsts = await Promise.all(files.map((file) => file.slice(0, FIRST_BYTES).arrayBuffer()));
  const { inputs, beside, binaries } = sortDropped(
    files.map((file, at) => [file, new Uint8Array(firsts[at] as ArrayBuffer)] as const),
  );
  const [first] = inputs as [Input];
  const { name: fileName } = first.content;
  for (const { content } of inputs) mount(content.name, content);
  const name = fileName.replace(/(?:\.(?:gz|txt|data|pack|ptf|json))+$/i, '') || fileName;
  switch (first.kind) {
    case 'stored':
      return { name, inputs: [openStoredTrace(fileName)], profile: null, notes: [] };
    case 'recording':
      return { name, profile: null, ...(await openDroppedRecording(first.content, beside, binaries, options)) };
    case 'pack':
      return { name, profile: null, ...(await openPack(first.content, tell)) };
    case 'text':
      return { name, ...(await openTexts(inputs.map(({ content }) => content.name))) };
  }
}

async function openTexts(names: readonly string[]): Promise<Omit<Opened, 'name'>> {
  const texts = await Promise.all(names.map((name) => openTraceFile(name)));
  const [only, ...others] = texts;
  if (only === undefined || others.length > 0) return { inputs: texts, profile: null, notes: [] };
  const { kind, ...input } = await detectInputKind(only);
  return kind === 'profile' ? { inputs: [], profile: input, notes: [] } : { inputs: [input], profile: null, notes: [] };
}
