/**
 * Opens a recording that was dropped, with what was recorded next to it and the binaries that ran; or all that from a pack.
 */

import { mount, openBlob } from '../../host/browser/files.js';
import { PtflameError } from '../../model/errors.js';
import type { RecordingEnvironment } from '../../model/profile/profile.js';
import { readFormatNotes } from '../../perfdata/event-format.js';
import { KernelNotes } from '../../perfdata/kernel-notes.js';
import { mappedFiles } from '../../perfdata/mapped-files.js';
import { readRecording } from '../../perfdata/read-recording.js';
import { PACK_PATHS } from '../../perfdata/recognize.js';
import type { Recording } from '../../perfdata/recording.js';
import { type SideRecording, sideOf } from '../../perfdata/side-recording.js';
import { findBinaries, unsupported } from '../../pipeline/decode/encoded-recording.js';
import { prepareRecording } from '../../pipeline/decode/prepare-recording.js';
import { buildIdOf, readElf, SectionType } from '../../symbols/elf-file.js';
import { type SymbolRoots, sourceOfFile, symbolFiles } from '../../symbols/symbol-files.js';
import type { EngineProgress, OpenOptions } from '../messages.js';
import { CACHE, type DroppedBinary, matchBinaries } from './binaries.js';
import { NeedsBinaries, type Opened } from './opened.js';
import { unpack } from './unpack.js';

type OpenedTrace = Omit<Opened, 'name' | 'profile'>;

/** A recording and what was recorded next to it, by the ends of their names. */
interface RecordedFiles {
  /** For messages. */
  readonly name: string;
  readonly path: string;
  readonly content: Blob;
  readonly beside: (ending: string) => Blob | null;
}

/** The binaries of a recording, by where the decoder looks for them. */
interface Binaries {
  readonly files: ReadonlyMap<string, Blob>;
  readonly roots: SymbolRoots;
}

/** @throws NeedsBinaries; PtflameError as `ptflame render` */
export async function openDroppedRecording(
  file: File,
  beside: readonly File[],
  binaries: readonly File[],
  options: OpenOptions,
): Promise<OpenedTrace> {
  const byEnding = (ending: string) => beside.find(({ name }) => name.endsWith(ending)) ?? null;
  const files = { name: file.name, path: file.name, content: file, beside: byEnding };
  const read = await readFiles(files);
  if (read.recording.trace === null) return sampled(files, read);
  const mapped = mappedFiles(read.recording);
  const dropped = binaries.map(describe);
  const { needed, at, unused } = matchBinaries(mapped, dropped);
  const isComplete = needed.every(({ state }) => state === 'found' || state === '32-bit');
  if (!isComplete && !options.withoutBinaries) {
    const names = unused.filter(({ isDump }) => !isDump).map(({ name }) => name);
    throw new NeedsBinaries({ recording: file.name, files: needed, unused: names });
  }
  const contents = new Map([...at].map(([path, { content }]) => [path, content]));
  for (const { isDump, name, content } of dropped)
    if (isDump) for (const path of dumpsNamed(name, read.recording)) contents.set(path, content);
  const lacking = needed.filter(({ state }) => state !== 'found').map(({ path, state }) => `${path}: ${state}`);
  return encoded(files, read, { files: contents, roots: { root: '', cache: CACHE } }, lacking);
}

/** A binary, or a dump of code that was made at run time. */
interface DroppedFile extends DroppedBinary {
  readonly content: File;
  readonly isDump: boolean;
}

function describe(content: File): DroppedFile {
  const { elf } = readElf(sourceOfFile(openBlob(content)));
  const first = openBlob(content);
  const head = new Uint8Array(HEAD_BYTES);
  first.read(head, 0);
  const isElf = head[0] === 0x7f;
  return {
    content,
    name: content.name,
    buildId: elf && buildIdOf(elf),
    hasCode: elf?.sections.some(({ name, type }) => name === '.text' && type !== SectionType.NoBits) ?? isElf,
    isNarrow: isElf && head[CLASS_AT] === BITS_32,
    isDump: !isElf,
  };
}

/** Of an ELF file: how wide its addresses are. */
const HEAD_BYTES = 5;
const CLASS_AT = 4;
const BITS_32 = 1;

function dumpsNamed(name: string, { sideband }: Recording): string[] {
  return sideband.flatMap(({ record }) =>
    record.what === 'mmap' && record.file.endsWith(`/${name}`) ? [record.file] : [],
  );
}

/** A pack is decoded with its own files alone. @throws PtflameError PACK_DAMAGED, NEWER_VERSION, and as above */
export async function openPack(file: File, tell: (progress: EngineProgress) => void): Promise<OpenedTrace> {
  const entries = await unpack(file, tell);
  const { recording: path, root } = PACK_PATHS;
  const content = entries.get(path) ?? entries.get(`${path}/data`);
  const name = `the recording in ${file.name}`;
  mount(path, content as Blob);
  const files = {
    name: file.name,
    path,
    content: content as Blob,
    beside: (ending: string) => entries.get(path + ending) ?? null,
  };
  const read = await readFiles({ ...files, name });
  if (read.recording.trace === null) return sampled(files, read);
  return encoded(files, read, { files: entries, roots: { root, cache: `${root}/${CACHE}` } }, []);
}

interface ReadFiles {
  readonly recording: Recording;
  readonly sides: readonly SideRecording[];
  readonly recorded: RecordingEnvironment;
}

async function readFiles({ name, path, content, beside }: RecordedFiles): Promise<ReadFiles> {
  const notes = (await beside('.formats')?.text()) ?? '';
  const options = { formats: readFormatNotes(notes), kernel: new KernelNotes(notes) };
  const read = (name: string, content: Blob) => {
    const file = openBlob(content);
    return readRecording({ name, sizeBytes: content.size, read: async (into, at) => file.read(into, at) }, options);
  };
  const recording = await read(name, content);
  if (recording.damage.length > 0) throw damaged(name, recording.damage);
  const wakes = beside('.wakes.data');
  const sideName = `${path}.wakes.data`;
  const side = sideOf({ name, recording }, sideName, wakes && (await read(sideName, wakes)));
  const hasEvents = recording.samples.tables.length > 0 || recording.samples.unreadable > 0;
  const { hostName: host, kernel, cpu, perfVersion: perf } = recording.machine;
  const startedAt = startOf(await beside('.ptflame.json')?.text());
  return {
    recording,
    sides: side.recording !== null || hasEvents ? [side] : [],
    recorded: { host, kernel, cpu, perf, command: recording.command, startedAt },
  };
}

/** When it was recorded, by its notes. */
function startOf(notes: string | undefined): string | null {
  try {
    const { format, startedAt } = JSON.parse(notes ?? '') as { format?: unknown; startedAt?: unknown };
    return format === 'ptflame-recording' && typeof startedAt === 'string' ? startedAt : null;
  } catch {
    return null;
  }
}

function sampled({ name }: RecordedFiles, { recording, sides, recorded }: ReadFiles): OpenedTrace {
  if (recording.samples.tables.length === 0)
    throw new PtflameError('NO_BRANCHES', `${name} is a recording without an Intel PT trace`, {
      hint: 'record with `ptflame record`, or `perf record -e intel_pt//u`',
    });
  return { inputs: [{ name, sampled: recording, sides, recorded, broken: null }], notes: [] };
}

function encoded(
  { name, path }: RecordedFiles,
  { recording: read, sides, recorded }: ReadFiles,
  { files, roots }: Binaries,
  lacking: readonly string[],
): OpenedTrace {
  const { narrow } = findBinaries(read, symbolFiles(files), roots);
  const reason = unsupported(read) ?? (narrow.length > 0 ? { what: '32-bit code', hasRest: true } : null);
  if (reason !== null && !reason.hasRest)
    throw new PtflameError('NOT_OFFERED', `${name} has ${reason.what}, which only perf decodes`, { hint: '' });
  const input = prepareRecording(read, { name, path, files, roots, jumps: 'leaving', recorded, broken: null });
  const notes = reason === null ? [] : [`${reason.what} is lost time: only perf decodes it`];
  return { inputs: [{ ...input, sides }], notes: [...notes, ...lacking] };
}

function damaged(name: string, damage: readonly string[]): PtflameError {
  return new PtflameError('RECORDING_DAMAGED', `${name} is damaged: ${damage[0]}`, {
    hint: '',
    output: damage.slice(1),
  });
}
