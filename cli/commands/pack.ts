/**
 * `ptflame pack`: a recording, with all that decoding it needs elsewhere, as one file.
 */
import { readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { PtflameError } from '../../src/index.js';
import {
  filesOfRecording,
  type LeftOut,
  type Manifest,
  PACK_PATHS,
  type PackableFile,
  type PackedFile,
  packableFiles,
  packableVdso,
  writePack,
} from '../../src/packs.js';
import { openRecording, type Recording } from '../../src/recordings.js';
import { formatMany, safeJson } from '../../src/text.js';
import { dataFilePath, notesPath } from '../input/data-file.js';
import type { PackOptions } from '../options/pack.js';
import { isTerminal, openOutput, writeAll } from '../output/outputs.js';
import { refuseOverwriting } from '../output/refuse-overwriting.js';
import { readNotes } from '../perf/record/recording-notes.js';
import { checkSymfs } from '../perf/script/check-symfs.js';
import { notify } from '../terminal/notify.js';

const KALLSYMS = '/proc/kallsyms';
const VDSO = '[vdso]';

export async function pack(options: PackOptions, signal: AbortSignal): Promise<void> {
  const { recording: path, output, quiet } = options;
  if (isTerminal(output))
    throw new PtflameError('BAD_OPTION', 'a pack is not written to a terminal', { hint: 'name a file: -o trace.pack' });
  await refuseOverwriting(options.kallsyms ? [path, options.kallsyms] : [path], [output]);
  const recording = await openRecording(path, { signal });
  const { programs, leftOut, files } = await collect(recording, options);
  const manifest: Manifest = {
    format: 'ptflame-pack',
    version: 1,
    name: basename(path),
    missing: leftOut.map(({ path, reason }) => ({ path, why: MANIFEST_REASON[reason] })),
    hasKallsyms: files.some(({ name }) => name === PACK_PATHS.kallsyms),
  };
  const sources = files.flatMap(({ source }) => (typeof source === 'object' && 'path' in source ? [source.path] : []));
  const target = await openOutput(output, [path, ...(options.kallsyms ? [options.kallsyms] : []), ...sources]);
  await writeAll([{ output: target, chunks: () => writePack(manifest, files) }]);
  if (!quiet) for (const line of summaryLines(output, programs, leftOut)) notify(line);
}

/** What goes into the pack, how many programs of it are there, and what the recording names and is not there. */
async function collect(recording: Recording, options: PackOptions) {
  const { recording: path } = options;
  await checkSymfs(options.symfs);
  const symfs = options.symfs ?? null;
  const recordingUid = (await stat(dataFilePath(path))).uid;
  const policy = { symfs, uid: process.geteuid?.() ?? 0, recordingUid };
  const { files: programs, leftOut } = await packableFiles(recording, policy);
  const vdso = await packableVdso(recording, join(symfs ?? homedir(), '.debug'));
  if (vdso.length === 0 && mapsVdso(recording)) leftOut.push({ path: VDSO, reason: 'missing' });
  const files = [
    ...(await filesOfRecording(path, PACK_PATHS.recording)),
    ...(await notesFor(path)),
    ...programs.map((file) => packed(file, PACK_PATHS.root)),
    ...vdso.map((file) => packed(file, PACK_PATHS.buildIdCache)),
    ...(await kallsymsFor(recording, options.kallsyms ?? null)),
  ];
  return { programs: programs.length, leftOut, files };
}

function packed({ path, file }: PackableFile, below: string): PackedFile {
  return { source: file, name: join(below, path) };
}

/** Only what really is notes: the file beside somebody else's recording may be, or lead to, anything. */
async function notesFor(path: string): Promise<PackedFile[]> {
  const notes = await readNotes(path);
  if (notes === null) return [];
  return [
    { source: Buffer.from(`${safeJson(JSON.stringify(notes, null, 2))}\n`), name: notesPath(PACK_PATHS.recording) },
  ];
}

const KALLSYMS_LINE = /^[0-9a-f]{8,16} \S \S/;

/** Only where the kernel was traced; a recording with `--kcore` has its own. */
async function kallsymsFor({ trace }: Recording, given: string | null): Promise<PackedFile[]> {
  if (given === null && trace?.hasKernel !== true) return [];
  const path = given ?? KALLSYMS;
  const source = await readKallsyms(path).catch((cause: unknown) => {
    throw new PtflameError('INPUT_UNREADABLE', `cannot read ${path}: ${String(cause)}`, {
      hint: 'name a copy of /proc/kallsyms, made by root: --kallsyms FILE',
      cause,
    });
  });
  return [{ source, name: PACK_PATHS.kallsyms }];
}

async function readKallsyms(path: string): Promise<Uint8Array> {
  if (!(await stat(path)).isFile()) throw new Error('it is no file');
  const source = await readFile(path);
  if (!KALLSYMS_LINE.test(source.toString('latin1', 0, 64))) throw new Error('it holds no addresses of a kernel');
  return source;
}

/** perf has no other copy of it than the one it kept when it recorded. */
function mapsVdso({ sideband }: Recording): boolean {
  return sideband.some(({ record }) => record.what === 'mmap' && record.file === VDSO);
}

type Reason = LeftOut['reason'];

/** In the words that every version of ptflame reads. */
const MANIFEST_REASON: Readonly<Record<Reason, Manifest['missing'][number]['why']>> = {
  missing: 'missing',
  changed: 'changed',
  unreadable: 'unreadable',
  outside: 'missing',
  'no-program': 'unreadable',
  unverified: 'unreadable',
};

const REASON_TEXT: Readonly<Record<Reason, string>> = {
  missing: 'missing',
  changed: 'changed, by its build id',
  unreadable: 'unreadable',
  outside: 'left out, as a link leads out of the tree',
  'no-program': 'left out, as it is no program or library (ELF)',
  unverified: 'left out, as the recording has no build id of it and not everybody may read it',
};

function summaryLines(output: string, files: number, leftOut: readonly LeftOut[]): string[] {
  const lines = [`packed the recording and ${formatMany(files, 'file')} into ${output}`];
  for (const { path, reason } of leftOut) lines.push(`${REASON_TEXT[reason]}: ${path}: what ran in it will be lost`);
  return lines;
}
