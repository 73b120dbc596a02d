/**
 * `ptflame render`: a trace or a profile in, folded stacks or a profile out.
 */
import { type Format, formatOf, type Renderer, rendererOf } from '../formats.js';
import { type CommandInput, openInputs } from '../inputs.js';
import type { RenderOptions } from '../options.js';
import { type Output, openOutput, writeAll } from '../outputs.js';
import { qualityLines } from '../terminal/quality.js';
import { profileOf } from '../traces.js';

/** How a profile is made and drawn, wherever it comes from. */
type ProfileOptions = Omit<RenderOptions, 'inputs' | 'output' | 'perf' | 'precise' | 'symfs' | 'kallsyms' | 'salvage'>;

export async function render(options: RenderOptions, signal: AbortSignal): Promise<void> {
  const paths = options.output ?? ['-'];
  const inputs = await openInputs(options.inputs, options, signal);
  await renderInputs(inputs, paths, options, signal, options.inputs);
}

/** Renders opened inputs; the demo comes in here. `madeOf`: their paths. */
export async function renderInputs(
  inputs: readonly CommandInput[],
  paths: readonly string[],
  options: ProfileOptions,
  signal: AbortSignal,
  madeOf: readonly string[] = [],
): Promise<void> {
  const outputs: { output: Output; format: Format }[] = [];
  for (const path of paths)
    outputs.push({ output: await openOutput(path, madeOf), format: formatOf(path, options.format) });
  const isWhole = outputs.some(({ format }) => format === 'json' || format === 'html');
  const trees = options.by !== 'none' || isWhole ? 'apart' : 'together';
  const profile = await profileOf(inputs, options, { trees, durations: isWhole }, signal);
  const renderers = await Promise.all(outputs.map(({ format }) => rendererOf(format, options)));
  await writeAll(outputs.map(({ output }, at) => ({ output, pieces: () => (renderers[at] as Renderer)(profile) })));
  if (!options.quiet) for (const line of qualityLines(profile)) process.stderr.write(`${line}\n`);
}
