/**
 * Opens a recording that was dropped, with what was recorded next to it and the binaries that ran; or all that from a pack.
 */

import { mount, openBlob } from '../../host/browser/files.js';
import { mappedFiles } from '../../perfdata/mapped-files.js';
import { PACK_PATHS } from '../../perfdata/recognize.js';
import type { Recording } from '../../perfdata/recording.js';
import { decodable, openRecorded } from '../../pipeline/open-recorded.js';
import { buildIdOf, readElf, SectionType } from '../../symbols/elf-file.js';
import { sourceOfFile } from '../../symbols/symbol-files.js';
import type { EngineProgress } from '../messages.js';
import { CACHE, type DroppedBinary, matchBinaries } from './binaries.js';
import { BESIDE } from './dropped.js';
import { NeedsBinaries, type Opened } from './opened.js';
import { unpack } from './unpack.js';

type OpenedTrace = Omit<Opened, 'file' | 'profile'>;

/** @throws NeedsBinaries, unless it is to be opened without them; PtflameError as `ptflame render` */
export async function openDroppedRecording(
  path: string,
  beside: readonly File[],
  binaries: readonly File[],
  withoutBinaries: boolean,
): Promise<OpenedTrace> {
  for (const ending of BESIDE) {
    const file = beside.find(({ name }) => name.endsWith(ending));
    if (file !== undefined) mount(path + ending, file);
  }
  const read = await openRecorded(path);
  const dropped = binaries.toReversed().map(describe); // what was dropped later is meant to replace what has the same name
  const { needed, at, unused } = matchBinaries(
    read.recording.trace === null ? [] : mappedFiles(read.recording),
    dropped,
  );
  const isComplete = needed.every(({ state }) => state === 'found' || state === '32-bit');
  if (!isComplete && !withoutBinaries) {
    const names = unused.filter(({ isDump }) => !isDump).map(({ name }) => name);
    throw new NeedsBinaries({ recording: path, files: needed, unused: names });
  }
  const contents = new Map([...at].map(([mapped, { content }]) => [mapped, content]));
  for (const { isDump, name, content } of dropped.toReversed())
    if (isDump) for (const mapped of dumpsNamed(name, read.recording)) contents.set(mapped, content);
  const lacking = needed.filter(({ state }) => state !== 'found').map(({ path, state }) => `${path}: ${state}`);
  const { input, notes } = decodable(read, contents, { root: '', cache: CACHE });
  const remedy = isComplete ? [] : ['To see their code, drop on this page the builds that ran.'];
  return { inputs: [input], notes: [...notes, ...lacking, ...remedy], takesBinaries: true };
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
export async function openPack(
  path: string,
  file: File,
  tell: (progress: EngineProgress) => void,
): Promise<OpenedTrace> {
  const entries = await unpack(file, tell);
  for (const [name, content] of entries) mount(`${path}/${name}`, content);
  const { recording, root } = PACK_PATHS;
  const name = `the recording in ${path}`;
  const read = await openRecorded(`${path}/${recording}`, { name, shownPath: recording });
  const { input, notes } = decodable({ ...read, name: path }, entries, { root, cache: `${root}/${CACHE}` });
  return { inputs: [input], notes };
}
