/**
 * `ptflame merge`: draws the call trees of many recordings.
 */

import { statSync } from 'node:fs';
import * as z from 'zod';
import { ProfileSum } from '../../src/fleet/merge-profiles.js';
import { mergeTables } from '../../src/fleet/merge-tables.js';
import { summaryOf } from '../../src/fleet/questions.js';
import { PtflameError } from '../../src/model/errors.js';
import type { Profile } from '../../src/model/profile/profile.js';
import { firstBytes } from '../../src/perfdata/open-recording.js';
import { isPack, isRecording } from '../../src/perfdata/recognize.js';
import { detectInputKind, openTraceFile } from '../../src/pipeline/open-text.js';
import { readProfile } from '../../src/pipeline/profile/read-profile.js';
import { limitMemory } from '../../src/pipeline/workers/memory-budget.js';
import { formatMany } from '../../src/render/format.js';
import { shellWords } from '../../src/render/visible-text.js';
import { isTraceFile } from '../../src/trace/file/format.js';
import { openFolder } from '../input/open-folder.js';
import { refuseOtherKind } from '../input/other-kinds.js';
import { general, resources } from '../options/shared.js';
import { type Format, OWN_FORMATS, outputFormats } from '../output/formats.js';
import { notifyQuality } from '../output/lines.js';
import { openOutput, refuseTerminal, writeAll } from '../output/outputs.js';
import { refuseLarge } from '../output/refuse-large.js';
import { refuseOverwriting } from '../output/refuse-overwriting.js';
import { loadRenderer, type Renderer } from '../output/renderers.js';
import { writtenLines } from '../output/written-files.js';
import { notify } from '../terminal/notify.js';
import { defineCommand } from '../usage/define-command.js';
import { flag, group } from '../usage/flag.js';
import { recordingsText } from './fleet.js';
import { RenderOptions } from './render.js';

/**
 * The options of `ptflame merge`.
 *
 * Those that need no more than sums.
 */
const MERGED_FORMATS = [...OWN_FORMATS, 'pprof'] as const;

const { inputs, output, title, icicle, width, minPx, annotate, minNs, maxFolded } = RenderOptions.shape;

const MergeOptions = z.object({
  ...{ inputs, output },
  ...group('Output', {
    format: flag(
      z.enum(MERGED_FORMATS).optional(),
      'format of all outputs (default: by the ending of FILE, else folded)',
    ),
    by: flag(z.enum(['comm', 'host', 'build']).default('comm'), 'what to keep apart; build: not known of profiles', {
      common: 'what to keep apart',
    }),
  }),
  ...{ title, icicle, width, minPx, annotate, minNs, maxFolded },
  ...resources(),
  ...general(),
});
type MergeOptions = z.infer<typeof MergeOptions>;

export const command = defineCommand({
  details: 'Groups are drawn as threads are: a root frame for each command name, host or build.',
  examples: [
    ['ptflame merge DIR -o fleet.html', 'all recordings of a folder, by command name'],
    ['ptflame merge DIR --by build -o builds.svg', 'a root frame for each build'],
    ['ptflame merge a.json b.json c.json -o all.json', 'profiles that ptflame render -o FILE.json wrote'],
  ],
  arguments: [
    {
      property: 'inputs',
      placeholder: 'INPUT',
      description: 'the folder of ptflame export RECORDING… --to parquet:DIR, or JSON profiles',
      isMany: true,
      isFile: true,
    },
  ],
  schema: MergeOptions,
  formats: (options) => outputFormats(options, MERGED_FORMATS),
  run: (options, signal) => merge(options, outputFormats(options, MERGED_FORMATS), signal),
});

/** `formats`: of the outputs, in their order. */
export async function merge(options: MergeOptions, formats: readonly Format[], signal: AbortSignal): Promise<void> {
  const paths = options.output ?? ['-'];
  refuseTerminal(options, formats);
  refuseOverwriting(options.inputs, paths);
  const outputs = await Promise.all(paths.map((path) => openOutput(path, options.inputs)));
  const { profile, title } = await loadMerged(options, signal);
  const titled = { ...options, title: options.title ?? title, by: 'comm' } as const;
  await refuseLarge(profile, formats, titled);
  const renderers = await Promise.all(formats.map((format) => loadRenderer(format, titled)));
  const extras = { waits: null, timeline: null, longestCalls: null, calls: null, trigger: null };
  await writeAll(outputs.map((output, at) => ({ output, chunks: () => (renderers[at] as Renderer)(profile, extras) })));
  if (options.quiet) return;
  await notifyQuality(profile, options);
  const written = paths.map((path, at) => ({ path, format: formats[at] as Format }));
  for (const line of await writtenLines(written, [])) notify(line);
}

/**
 * DuckDB adds up groups in one table as long as no more than two threads share the work. With more, it keeps almost each
 * row until the end: 64 recordings of 130,000 paths then take three times the CPU time, and 1.6 GB instead of 0.3.
 */
const MAX_JOBS = 2;

interface Merged {
  readonly profile: Profile;
  /** What was merged. */
  readonly title: string;
}

async function loadMerged(options: MergeOptions, signal: AbortSignal): Promise<Merged> {
  const { inputs, by, memory } = options;
  const directory = inputs.find(isDirectory);
  if (directory === undefined) {
    limitMemory(memory === undefined ? {} : { memoryBytes: memory });
    return { profile: await mergeFiles(inputs, by, signal), title: formatMany(inputs.length, 'profile') };
  }
  if (inputs.length > 1)
    throw new PtflameError('BAD_OPTION', `${directory} is a folder, which is merged alone`, {
      hint: 'export all recordings to one folder: ptflame export RECORDING… --to parquet:DIR',
    });
  const fleet = await openFolder(directory, { ...options, jobs: Math.min(options.jobs ?? MAX_JOBS, MAX_JOBS) }, signal);
  try {
    return { profile: await mergeTables(fleet, by), title: recordingsText(await summaryOf(fleet)) };
  } finally {
    fleet.close();
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

async function mergeFiles(inputs: readonly string[], by: MergeOptions['by'], signal: AbortSignal): Promise<Profile> {
  if (by === 'build')
    throw new PtflameError('BAD_OPTION', 'a profile does not say which build it is of', {
      hint: 'merge a folder: ptflame export RECORDING --build NAME --to parquet:DIR',
    });
  const sum = new ProfileSum(by);
  const weights = new Set<string>();
  let isBlockedTime: boolean | null = null;
  for (const path of inputs) {
    const profile = await readFileOf(path, signal);
    if (weights.add(profile.meta.weight).size > 1) throw otherWeight(path);
    isBlockedTime ??= profile.meta.isBlockedTime ?? false;
    if (isBlockedTime !== (profile.meta.isBlockedTime ?? false)) throw otherTime(path);
    sum.add(profile, path);
  }
  return sum.build();
}

function otherTime(path: string): PtflameError {
  return new PtflameError('BAD_OPTION', `${path}: blocked time cannot be added to other times`, {
    hint: 'merge profiles of render --blocked-by among themselves',
  });
}

function otherWeight(path: string): PtflameError {
  return new PtflameError(
    'TIMELESS',
    `some of the profiles have times, others only calls: ${path} differs from those before it`,
    {
      hint: 'merge those with times alone',
    },
  );
}

/** @throws PtflameError INPUT_KIND if it is a trace, and as `readProfile` */
async function readFileOf(path: string, signal: AbortSignal): Promise<Profile> {
  await refuseOtherKind(path);
  const first = firstBytes(path);
  if (isRecording(first) || isPack(first) || isTraceFile(first)) throw notAProfile(path);
  const input = await detectInputKind(await openTraceFile(path));
  if (input.kind === 'trace') throw notAProfile(path);
  return readProfile(input, { signal });
}

function notAProfile(path: string): PtflameError {
  return new PtflameError('INPUT_KIND', `${path} is not a profile`, {
    hint: `write its profile first: ptflame render ${shellWords([path])} -o FILE.json`,
  });
}
