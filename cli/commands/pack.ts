/**
 * `ptflame pack`: a recording, with all that decoding it needs elsewhere, as one file.
 */
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { type NeededFile, neededFiles, openRecording, PtflameError, type Recording } from '../../src/index.js';
import { filesOf, type Manifest, PACKED, type PackedFile, writePack } from '../../src/packs.js';
import { formatMany, visibleText } from '../../src/text.js';
import { notesPath } from '../data-file.js';
import type { PackOptions } from '../options.js';
import { isTerminal, openOutput, writeAll } from '../outputs.js';
import { refuseOverwriting } from '../refuse-overwriting.js';

const KALLSYMS = '/proc/kallsyms';
const VDSO = '[vdso]';

export async function pack(options: PackOptions, signal: AbortSignal): Promise<void> {
  const { recording: path, output, symfs = '/', quiet } = options;
  if (isTerminal(output))
    throw new PtflameError('BAD_OPTION', 'a pack is not written to a terminal', { hint: 'name a file: -o trace.pack' });
  await refuseOverwriting(options.kallsyms ? [path, options.kallsyms] : [path], [output]);
  const recording = await openRecording(path, { signal });
  const needed = await neededFiles(recording, symfs);
  const kallsyms = await kallsymsFor(recording, options.kallsyms ?? null);
  const vdso = await vdsoOf(recording, symfs);
  const missing: Manifest['missing'] = needed.flatMap(({ path, state }) =>
    state === 'same' ? [] : [{ path, why: state }],
  );
  if (vdso.length === 0 && mapsVdso(recording)) missing.push({ path: VDSO, why: 'missing' });
  const manifest: Manifest = {
    format: 'ptflame-pack',
    version: 1,
    name: basename(path),
    missing,
    hasKallsyms: kallsyms.length > 0,
  };
  const files = [
    ...(await filesOf(path, PACKED.recording)),
    ...(await filesOf(notesPath(path), notesPath(PACKED.recording)).catch(() => [])),
    ...needed.flatMap((file) => filesOfNeeded(file, symfs)),
    ...vdso,
    ...kallsyms,
  ];
  const target = await openOutput(output, [path]);
  await writeAll([{ output: target, pieces: () => writePack(manifest, files) }]);
  if (!quiet) process.stderr.write(summary(output, needed.filter(({ state }) => state === 'same').length, missing));
}

function filesOfNeeded({ path, state, debugFiles }: NeededFile, symfs: string): PackedFile[] {
  if (state !== 'same') return [];
  return [path, ...debugFiles].map((file) => ({ source: join(symfs, file), name: join(PACKED.root, file) }));
}

/** perf keeps the code that the kernel puts into each process when it records. */
async function vdsoOf({ buildIds }: Recording, symfs: string): Promise<PackedFile[]> {
  const cache = join(symfs === '/' ? homedir() : symfs, '.debug');
  const ids = buildIds.filter(({ file }) => file === VDSO).map(({ buildId }) => buildId);
  const places = ids.map((id) => join('.build-id', id.slice(0, 2), id.slice(2)));
  const lists = await Promise.all(
    places.map((place) => filesOf(join(cache, place), join(PACKED.buildIdCache, place)).catch(() => [])),
  );
  return lists.flat();
}

/** Only where the kernel was traced; a recording with `--kcore` has its own. */
async function kallsymsFor({ trace }: Recording, given: string | null): Promise<PackedFile[]> {
  if (given === null && trace?.hasKernel !== true) return [];
  const path = given ?? KALLSYMS;
  try {
    return [{ source: await readFile(path), name: PACKED.kallsyms }];
  } catch (cause) {
    throw new PtflameError('INPUT_UNREADABLE', `cannot read ${path}: ${String(cause)}`, {
      hint: 'name a copy of /proc/kallsyms, made by root: --kallsyms FILE',
      cause,
    });
  }
}

/** perf has no other copy of it than the one it kept when it recorded. */
function mapsVdso({ sideband }: Recording): boolean {
  return sideband.some(({ record }) => record.what === 'mmap' && record.file === VDSO);
}

function summary(output: string, files: number, missing: Manifest['missing']): string {
  const lines = [`packed the recording and ${formatMany(files, 'file')} into ${output}`];
  for (const { path, why } of missing) lines.push(`${why}: ${path}: what ran in it will be lost`);
  return `${lines.map(visibleText).join('\n')}\n`;
}
