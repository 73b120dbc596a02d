/**
 * `ptflame pack`: writes one file with a recording and everything needed to decode it elsewhere.
 */

import { readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import * as z from 'zod';
import { PtflameError, systemReason } from '../../src/model/errors.js';
import { lacksKernelNames } from '../../src/model/sample-table.js';
import { safeJson } from '../../src/model/text.js';
import { formatsPath, notesPath, wakingsPath } from '../../src/perfdata/beside.js';
import { dataFilePath, openRecording, recordsEvents } from '../../src/perfdata/open-recording.js';
import type { Manifest } from '../../src/perfdata/pack/manifest.js';
import {
  type LeftOut,
  type PackableFile,
  type PackableFiles,
  packableFiles,
  packableVdso,
} from '../../src/perfdata/pack/packable-files.js';
import { filesOfRecording, type PackedFile, sideFiles, writePack } from '../../src/perfdata/pack/write-pack.js';
import { PACK_PATHS } from '../../src/perfdata/recognize.js';
import type { Recording } from '../../src/perfdata/recording.js';
import { findBinaries, findTracedKernel } from '../../src/pipeline/decode/encoded-recording.js';
import { kernelPages } from '../../src/pipeline/decode/kernel-pages.js';
import { formatMany } from '../../src/render/format.js';
import { shellWords } from '../../src/render/visible-text.js';
import { DISK_FILES } from '../../src/symbols/symbol-files.js';
import { onlyPerfDecodes } from '../input/choose-decoder.js';
import { encodedRecording, rootsOf } from '../input/encoded-recording.js';
import { refuseOtherKind } from '../input/other-kinds.js';
import { decoding, general } from '../options/shared.js';
import { path } from '../options/values.js';
import { refuseOtherName } from '../output/formats.js';
import { openOutput, writeAll } from '../output/outputs.js';
import { refuseOverwriting } from '../output/refuse-overwriting.js';
import { isStandardOutput, isTerminal } from '../output/write-chunks.js';
import { checkSymfs } from '../perf/decode.js';
import { readNotes } from '../record/recording-notes.js';
import { notify } from '../terminal/notify.js';
import { defineCommand } from '../usage/define-command.js';
import { flag, group } from '../usage/flag.js';

/** The options of `ptflame pack`. */
export const PackOptions = z.object({
  recording: path,
  ...group('Output', { output: flag(path, 'where to write the pack', { alias: 'o', value: 'FILE', common: true }) }),
  symfs: decoding().symfs,
  kallsyms: decoding().kallsyms,
  ...general(),
});
export type PackOptions = z.infer<typeof PackOptions>;

export const command = defineCommand({
  details: 'The pack can be rendered on any machine, without Intel PT, perf or the binaries.',
  examples: [
    ['ptflame pack perf.data -o trace.pack', 'on the machine that recorded it'],
    ['ptflame render trace.pack -o flame.html', 'on any machine'],
  ],
  arguments: [
    { property: 'recording', placeholder: 'RECORDING', description: 'a recording (perf.data)', isFile: true },
  ],
  schema: PackOptions,
  run: pack,
});

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
  const { collected, files } = await collect(recording, options, signal);
  const { leftOut } = collected;
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
  if (!quiet)
    for (const line of summaryLines(options, recording, collected, lackingSidesOf(path, recording, files)))
      notify(line);
}

/** Collects the files of the pack, and lists those that are left out. */
async function collect(recording: Recording, options: PackOptions, signal: AbortSignal) {
  const { recording: path } = options;
  await checkSymfs(options.symfs);
  const symfs = options.symfs ?? null;
  const recordingUid = (await stat(dataFilePath(path))).uid;
  const cache = join(symfs ?? homedir(), '.debug');
  const policy = { symfs, uid: process.geteuid?.() ?? 0, recordingUid, cache };
  const collected = await packableFiles(recording, policy);
  const vdso = await packableVdso(recording, cache);
  if (vdso.length === 0 && mapsVdso(recording)) collected.leftOut.push({ path: VDSO, reason: 'missing' });
  const own = await withPagesThatRan(await filesOfRecording(path, PACK_PATHS.recording), recording, options, signal);
  const hasOwnNames = own.some(({ name }) => name === KERNEL_NAMES);
  const files = [
    ...own,
    ...(await notesFor(path)),
    ...(await sideFiles(path, recordingUid, PACK_PATHS.recording)),
    ...collected.files.map((file) => packed(file, PACK_PATHS.root)),
    ...vdso.map((file) => packed(file, PACK_PATHS.buildIdCache)),
    ...(await kallsymsFor(options.kallsyms ?? (recording.trace?.hasKernel && !hasOwnNames ? KALLSYMS : null))),
  ];
  return { collected, files };
}

const KERNEL_CODE = `${PACK_PATHS.recording}/kcore_dir/kcore`;
const KERNEL_NAMES = `${PACK_PATHS.recording}/kcore_dir/kallsyms`;

/** Of the kernel's code, a pack has the pages that ran, which only decoding finds; all of them where perf alone decodes. */
async function withPagesThatRan(
  files: readonly PackedFile[],
  recording: Recording,
  { recording: path, symfs: given }: PackOptions,
  signal: AbortSignal,
): Promise<readonly PackedFile[]> {
  const row = files.findIndex(({ name }) => name === KERNEL_CODE);
  if (row === -1 || !recording.trace?.hasKernel || recording.damage.length > 0) return files;
  const data = dataFilePath(path);
  const symfs = given ?? null;
  const roots = rootsOf(symfs);
  const found = findBinaries(recording, DISK_FILES, roots);
  const kernel = findTracedKernel(recording, data, DISK_FILES, roots);
  if (onlyPerfDecodes({ recording, found, kernel }) !== null) return files;
  const encoding = { name: path, path: data, symfs, jumps: 'none', recorded: null, broken: null } as const;
  const needed = await kernelPages(encodedRecording(recording, encoding), signal);
  return files.with(row, { ...(files[row] as PackedFile), needed });
}

function packed({ path, file }: PackableFile, directory: string): PackedFile {
  return { source: file, name: join(directory, path) };
}

/** Packs only real notes: next to an untrusted recording, that file may be or link to anything. */
async function notesFor(path: string): Promise<PackedFile[]> {
  const notes = readNotes(path);
  if (notes === null) return [];
  return [
    { source: Buffer.from(`${safeJson(JSON.stringify(notes, null, 2))}\n`), name: notesPath(PACK_PATHS.recording) },
  ];
}

const KALLSYMS_LINE = /^[0-9a-f]{8,16} \S \S/;

/** Packs kernel symbols only if they were given, or the kernel was traced and the recording has none (`--kcore`). */
async function kallsymsFor(path: string | null): Promise<PackedFile[]> {
  if (path === null) return [];
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

/** What `record --waits` wrote next to the recording, and is not there. */
function lackingSidesOf(path: string, recording: Recording, files: readonly PackedFile[]) {
  const has = (side: string) => files.some(({ name }) => name === side);
  const { tables, unreadable } = recording.samples;
  const lacksFormats = unreadable > 0 || lacksKernelNames(tables);
  const hasWakings = !recordsEvents(recording) || has(wakingsPath(PACK_PATHS.recording));
  return [
    ...(hasWakings
      ? []
      : [
          {
            what: `${wakingsPath(path)} is not there: who woke threads from outside is not known`,
            remedy: 'if it was recorded, keep it next to the recording',
          },
        ]),
    ...(lacksFormats
      ? [
          {
            what: `${formatsPath(path)} is not there, or lacks something: some events or the kernel's functions are not named`,
            remedy: 'keep it next to the recording',
          },
        ]
      : []),
  ];
}

const MAX_NAMES = 5;

function summaryLines(
  { output, symfs }: PackOptions,
  { trace }: Recording,
  { files, binaries, leftOut, missingDebug }: PackableFiles,
  lackingSides: ReturnType<typeof lackingSidesOf>,
): string[] {
  const lines = [`packed the recording and ${formatMany(files.length, 'file')} into ${output}`];
  for (const reason of Object.keys(REASON_TEXT) as Reason[]) {
    const paths = leftOut.filter((file) => file.reason === reason).map(({ path }) => path);
    if (paths.length > 0) lines.push(`${REASON_TEXT[reason]}: ${listOf(paths)}: ${codeOf(paths)} cannot be decoded`);
  }
  if (missingDebug.length > 0)
    lines.push(`note: not found, and --inline and --srcline need it: ${listOf(missingDebug)}`);
  for (const { what, remedy } of lackingSides) lines.push(`warning: ${what}; ${remedy}`);
  const lacking = leftOut.filter(({ path }) => path !== VDSO).length;
  if (trace !== null && lacking > 0) {
    const what =
      binaries === 0
        ? 'the pack has no binaries: elsewhere, nothing of its trace can be decoded'
        : `the pack lacks ${lacking} of ${lacking + binaries} binaries: elsewhere, what ran in them cannot be decoded`;
    const where = symfs === undefined ? '--symfs DIR' : 'another --symfs DIR';
    lines.push(
      `warning: ${what}; pass ${where}, a folder with the files that ran, or pack on the machine that recorded`,
    );
  }
  if (isStandardOutput(output)) return lines;
  const pack = shellWords([output]);
  return [
    ...lines,
    `next: ${trace === null ? `ptflame waits ${pack}` : `ptflame render ${pack} -o flame.html`}, on any machine`,
  ];
}

function codeOf(paths: readonly string[]): string {
  return paths.length === 1 ? 'its code' : 'their code';
}

/** "3 files: /a, /b, /c": how many, and the first ones by name. */
function listOf(names: readonly string[]): string {
  const more = names.length > MAX_NAMES ? ', …' : '';
  const count = names.length === 1 ? '' : `${formatMany(names.length, 'file')}: `;
  return `${count}${names.slice(0, MAX_NAMES).join(', ')}${more}`;
}
