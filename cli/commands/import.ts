/**
 * `ptflame import`: writes a trace to a file that every command reads instead of it, much faster.
 */

import * as z from 'zod';
import { PtflameError } from '../../src/model/errors.js';
import { type ImportedTrace, importTrace } from '../../src/pipeline/import-trace.js';
import { readProfile } from '../../src/pipeline/profile/read-profile.js';
import { formatBytes, formatMany } from '../../src/render/format.js';
import { lackingByLoss } from '../input/lacking-files.js';
import { type CommandInput, openInputs, totalSize } from '../input/open-inputs.js';
import { soleTextInput, toResources, toSelection } from '../input/traces.js';
import { decoding, general, resources, selection, TRACES } from '../options/shared.js';
import { path } from '../options/values.js';
import { refuseOtherName } from '../output/formats.js';
import { inputProblems } from '../output/lines.js';
import { type Output, openOutput } from '../output/outputs.js';
import { refuseOverwriting } from '../output/refuse-overwriting.js';
import { isTerminal } from '../output/write-chunks.js';
import { notify } from '../terminal/notify.js';
import { startProgress } from '../terminal/progress.js';
import { defineCommand } from '../usage/define-command.js';
import { flag, group } from '../usage/flag.js';

/** The options of `ptflame import`. */
export const ImportOptions = z.object({
  inputs: z.array(path).min(1),
  ...group('Output', {
    output: flag(path, 'where to write the trace; - is standard output', {
      alias: 'o',
      value: 'FILE',
      common: 'where to write the trace',
    }),
  }),
  ...selection(),
  ...decoding(),
  ...resources(),
  ...general(),
});
export type ImportOptions = z.infer<typeof ImportOptions>;

export const command = defineCommand({
  examples: [
    ['ptflame import perf.data -o trace.ptf', 'any trace that render reads'],
    ['ptflame render trace.ptf -o flame.html', 'the same picture as from perf.data'],
  ],
  arguments: [TRACES],
  schema: ImportOptions,
  run: importInputs,
});

export async function importInputs(options: ImportOptions, signal: AbortSignal): Promise<void> {
  const { output: path } = options;
  refuseOverwriting(options.inputs, [path]);
  refuseOtherName(path, { does: 'import writes a trace', example: 'trace.ptf', option: '-o' }, options.inputs);
  if (isTerminal(path))
    throw new PtflameError('BAD_OPTION', 'a trace file is binary and cannot be written to a terminal', {
      hint: 'pass a file: -o trace.ptf',
    });
  const inputs = await withoutProfile(await openInputs(options.inputs, options, signal));
  const output = await openOutput(path, options.inputs);
  const imported = await importWithProgress(inputs, output, options, signal);
  await output.publish();
  if (options.quiet) return;
  for (const line of [...lackingByLoss(inputs, null), ...summaryLines(path, imported)]) notify(line);
}

/**
 * Rejects a lone profile; one among other inputs is rejected when it is read.
 *
 * @throws PtflameError INPUT_KIND; as `readProfile`, if it only begins like a profile
 */
async function withoutProfile(inputs: readonly CommandInput[]): Promise<readonly CommandInput[]> {
  const text = await soleTextInput(inputs);
  if (text === null) return inputs;
  const { kind, ...input } = text;
  if (kind === 'trace') return [input];
  await readProfile(input); // refuses other JSON
  throw new PtflameError('INPUT_KIND', `${text.name} is a profile, which does not contain the trace`, {
    hint: 'import the trace itself; to render the profile: ptflame render FILE.json',
  });
}

async function importWithProgress(
  inputs: readonly CommandInput[],
  output: Output,
  options: ImportOptions,
  signal: AbortSignal,
): Promise<ImportedTrace> {
  const progress = startProgress(options.quiet, totalSize(inputs));
  try {
    return await importTrace(inputs, (bytes) => output.write(bytes), {
      select: toSelection(options),
      ...toResources(options),
      signal,
      onProgress: (at) => progress.show(at),
    });
  } finally {
    progress.stop();
  }
}

function summaryLines(path: string, imported: ImportedTrace): string[] {
  const { events, samples, threads, bytes, counts } = imported;
  const lines = counts.lines === events ? '' : ` of ${formatMany(counts.lines, 'line')}`;
  const size = `${formatBytes(bytes)}, ${(bytes / Math.max(events, 1)).toFixed(1)} bytes per event`;
  if (events === 0 && (samples > 0 || threads === 0))
    return [
      `imported ${formatMany(samples, 'sample')} into ${path}: ${formatBytes(bytes)}`,
      ...inputProblems({ ...counts, ...imported }),
    ];
  const what = `imported ${formatMany(events, 'event')}${lines}, ${formatMany(threads, 'thread')}, into ${path}: ${size}`;
  return [what, ...inputProblems({ ...counts, ...imported })];
}
