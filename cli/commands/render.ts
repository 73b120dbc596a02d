/**
 * `ptflame render`: a trace in, folded stacks out.
 */
import { analyze, type OpenedInput, type Profile, PtflameError, renderFolded } from '../../src/index.js';
import { openInputs, totalSize } from '../inputs.js';
import type { RenderOptions } from '../options.js';
import { type Output, openOutput, writeAll } from '../outputs.js';
import { startProgress } from '../terminal/progress.js';
import { qualityLines } from '../terminal/quality.js';

/** Formats that other versions write; an ending that names one is not to be filled with something else. */
const OTHER_FORMATS = /\.(svg|html?|json)$/i;

export async function render(options: RenderOptions, signal: AbortSignal): Promise<void> {
  const paths = options.output ?? ['-'];
  refuseOtherFormats(paths, options.format);
  const inputs = await openInputs(options.inputs);
  await renderInputs(inputs, paths, options, signal);
}

/** Renders opened inputs; the demo comes in here. */
export async function renderInputs(
  inputs: readonly OpenedInput[],
  paths: readonly string[],
  options: Omit<RenderOptions, 'inputs' | 'output' | 'format'>,
  signal: AbortSignal,
): Promise<void> {
  const outputs: Output[] = [];
  for (const path of paths) outputs.push(await openOutput(path));
  const profile = await analyzeWithProgress(inputs, options, signal);
  await writeAll(outputs, () => renderFolded(profile, options));
  if (!options.quiet) for (const line of qualityLines(profile)) process.stderr.write(`${line}\n`);
}

async function analyzeWithProgress(
  inputs: readonly OpenedInput[],
  options: Omit<RenderOptions, 'inputs' | 'output' | 'format'>,
  signal: AbortSignal,
): Promise<Profile> {
  const { tid, pid, cpu, comm, tailCalls, noExtend, byCalls } = options;
  const select = {
    ...(tid && { tids: tid }),
    ...(pid && { pids: pid }),
    ...(cpu && { cpus: cpu }),
    ...(comm && { comm }),
  };
  const progress = await startProgress(options.quiet, totalSize(inputs));
  try {
    return await analyze(inputs, {
      select,
      tailCalls,
      extend: !noExtend,
      byCalls,
      signal,
      onProgress: (at) => progress.show(at),
    });
  } finally {
    progress.stop();
  }
}

/** @throws PtflameError BAD_OPTION for a name that promises what would not be in it */
export function refuseOtherFormats(paths: readonly string[], format?: RenderOptions['format']): void {
  for (const path of paths) {
    const ending = OTHER_FORMATS.exec(path)?.[1];
    if (ending === undefined || format !== undefined) continue;
    throw new PtflameError('BAD_OPTION', `-o ${path}: this version writes folded stacks, not ${ending}`, {
      hint: 'name it .folded, or say --format folded',
    });
  }
}
