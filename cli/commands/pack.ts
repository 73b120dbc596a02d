/**
 * `ptflame pack`: writes one file with a recording and everything needed to decode it elsewhere.
 */
import { readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { PtflameError, systemReason } from '../../src/model/errors.js';
import { safeJson } from '../../src/model/text.js';
import { openRecording } from '../../src/perfdata/open-recording.js';
import type { Manifest } from '../../src/perfdata/pack/manifest.js';
import { PACK_PATHS } from '../../src/perfdata/pack/pack-paths.js';
import {
  type LeftOut,
  type PackableFile,
  packableFiles,
  packableVdso,
} from '../../src/perfdata/pack/packable-files.js';
import { sideFiles } from '../../src/perfdata/pack/side-files.js';
import { filesOfRecording, type PackedFile, writePack } from '../../src/perfdata/pack/write-pack.js';
import type { Recording } from '../../src/perfdata/recording.js';
import { formatMany } from '../../src/render/format.js';
import { dataFilePath, notesPath } from '../input/data-file.js';
import { refuseOtherKind } from '../input/other-kinds.js';
import type { PackOptions } from '../options/pack.js';
import { refuseOtherName } from '../output/kinds.js';
import { isTerminal, openOutput, writeAll } from '../output/outputs.js';
import { refuseOverwriting } from '../output/refuse-overwriting.js';
import { checkSymfs } from '../perf/check-symfs.js';
import { readNotes } from '../record/recording-notes.js';
import { notify } from '../terminal/notify.js';

const KALLSYMS = '/proc/kallsyms';
const VDSO = '[vdso]';

export async function pack(options: PackOptions, signal: AbortSignal): Promise<void> {
  const { recording: path, output, quiet } = options;
  if (isTerminal(output))
    throw new PtflameError('BAD_OPTION', 'a pack is binary and cannot be written to a terminal', {
      hint: 'pass a file: -o trace.pack',
    });
  refuseOverwriting(options.kallsyms ? [path, options.kallsyms] : [path], [output]);
  refuseOtherName(output, { does: 'pack writes a pack', example: 'trace.pack', option: '-o' }, [path]);
  await refuseOtherKind(path);
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

/** Collects the files of the pack, counts its binaries, and lists those that are left out. */
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
    ...(await sideFiles(path, recordingUid, PACK_PATHS.recording)),
    ...programs.map((file) => packed(file, PACK_PATHS.root)),
    ...vdso.map((file) => packed(file, PACK_PATHS.buildIdCache)),
    ...(await kallsymsFor(recording, options.kallsyms ?? null)),
  ];
  return { programs: programs.length, leftOut, files };
}

function packed({ path, file }: PackableFile, directory: string): PackedFile {
  return { source: file, name: join(directory, path) };
}

/** Packs only real notes: next to an untrusted recording, that file may be or link to anything. */
async function notesFor(path: string): Promise<PackedFile[]> {
  const notes = await readNotes(path);
  if (notes === null) return [];
  return [
    { source: Buffer.from(`${safeJson(JSON.stringify(notes, null, 2))}\n`), name: notesPath(PACK_PATHS.recording) },
  ];
}

const KALLSYMS_LINE = /^[0-9a-f]{8,16} \S \S/;

/** Packs kernel symbols only if the kernel was traced or they were given; a recording with `--kcore` also has its own. */
async function kallsymsFor({ trace }: Recording, given: string | null): Promise<PackedFile[]> {
  if (given === null && trace?.hasKernel !== true) return [];
  const path = given ?? KALLSYMS;
  const source = await readKallsyms(path).catch((cause: unknown) => {
    throw new PtflameError('INPUT_UNREADABLE', `cannot read ${path}: ${systemReason(cause)}`, {
      hint: 'pass a copy of /proc/kallsyms made by root: --kallsyms FILE',
      cause,
    });
  });
  return [{ source, name: PACK_PATHS.kallsyms }];
}

async function readKallsyms(path: string): Promise<Uint8Array> {
  if (!(await stat(path)).isFile()) throw new Error('not a file');
  const source = await readFile(path);
  if (!KALLSYMS_LINE.test(source.toString('latin1', 0, 64))) throw new Error('it has no kernel addresses');
  return source;
}

/** The vdso exists only in the copy that perf kept while recording. */
function mapsVdso({ sideband }: Recording): boolean {
  return sideband.some(({ record }) => record.what === 'mmap' && record.file === VDSO);
}

type Reason = LeftOut['reason'];

/** The reasons in a pack's manifest, which every version of ptflame reads. */
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
  changed: 'changed (different build id)',
  unreadable: 'unreadable',
  outside: 'left out (a symbolic link leads outside the tree)',
  'no-program': 'left out (not a binary)',
  unverified: 'left out (no build id in the recording, and not world-readable)',
};

function summaryLines(output: string, files: number, leftOut: readonly LeftOut[]): string[] {
  const lines = [`packed the recording and ${formatMany(files, 'file')} into ${output}`];
  for (const { path, reason } of leftOut) lines.push(`${REASON_TEXT[reason]}: ${path}: its code cannot be decoded`);
  return lines;
}
