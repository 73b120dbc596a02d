/**
 * `ptflame render`: a trace or a profile in, folded stacks or a profile out.
 */
import {
  analyze,
  type Profile,
  type ResourceOptions,
  readProfile,
  type Selection,
  type Trees,
  tellKind,
} from '../../src/index.js';
import { type Format, formatOf, renderAs } from '../formats.js';
import { type CommandInput, openInputs, totalSize } from '../inputs.js';
import type { RenderOptions } from '../options.js';
import { type Output, openOutput, writeAll } from '../outputs.js';
import { refuseReplayOptions } from '../replay-options.js';
import { startProgress } from '../terminal/progress.js';
import { qualityLines } from '../terminal/quality.js';

/** How a profile is made and drawn, wherever it comes from. */
type ProfileOptions = Omit<RenderOptions, 'inputs' | 'output' | 'perf' | 'precise' | 'symfs' | 'kallsyms' | 'salvage'>;

export async function render(options: RenderOptions, signal: AbortSignal): Promise<void> {
  const paths = options.output ?? ['-'];
  for (const path of paths) formatOf(path, options.format); // refused before anything is opened
  const inputs = await openInputs(options.inputs, options, signal);
  await renderInputs(inputs, paths, options, signal);
}

/** Renders opened inputs; the demo comes in here. */
export async function renderInputs(
  inputs: readonly CommandInput[],
  paths: readonly string[],
  options: ProfileOptions,
  signal: AbortSignal,
): Promise<void> {
  const outputs: { output: Output; format: Format }[] = [];
  for (const path of paths) outputs.push({ output: await openOutput(path), format: formatOf(path, options.format) });
  const needsThreads = options.by !== 'none' || outputs.some(({ format }) => format === 'json');
  const profile = await profileOf(inputs, options, needsThreads ? 'apart' : 'together', signal);
  await writeAll(outputs.map(({ output, format }) => ({ output, pieces: () => renderAs(format, profile, options) })));
  if (!options.quiet) for (const line of qualityLines(profile)) process.stderr.write(`${line}\n`);
}

/** A profile stands alone; whatever else is given is read as a trace. */
async function profileOf(
  inputs: readonly CommandInput[],
  options: ProfileOptions,
  trees: Trees,
  signal: AbortSignal,
): Promise<Profile> {
  const [only, ...others] = inputs;
  if (only === undefined || others.length > 0 || 'parts' in only || 'stored' in only)
    return analyzeWithProgress(inputs, options, trees, signal);
  const input = await tellKind(only);
  if (input.kind === 'trace') return analyzeWithProgress([input], options, trees, signal);
  refuseReplayOptions(input.name, options);
  return readProfile(input, { select: selectionOf(options), signal });
}

async function analyzeWithProgress(
  inputs: readonly CommandInput[],
  options: ProfileOptions,
  trees: Trees,
  signal: AbortSignal,
): Promise<Profile> {
  const { tailCalls, noExtend, byCalls } = options;
  const progress = await startProgress(options.quiet, totalSize(inputs));
  try {
    return await analyze(inputs, {
      select: selectionOf(options),
      tailCalls,
      extend: !noExtend,
      byCalls,
      trees,
      ...resourcesOf(options),
      signal,
      onProgress: (at) => progress.show(at),
    });
  } finally {
    progress.stop();
  }
}

export function resourcesOf({
  jobs,
  memory,
  tempDir,
}: Pick<RenderOptions, 'jobs' | 'memory' | 'tempDir'>): ResourceOptions {
  return {
    ...(jobs !== undefined && { jobs }),
    ...(memory !== undefined && { memoryBytes: memory }),
    ...(tempDir !== undefined && { temporaryDirectory: tempDir }),
  };
}

export function selectionOf({ tid, pid, cpu, comm }: Pick<RenderOptions, 'tid' | 'pid' | 'cpu' | 'comm'>): Selection {
  return { ...(tid && { tids: tid }), ...(pid && { pids: pid }), ...(cpu && { cpus: cpu }), ...(comm && { comm }) };
}
