/**
 * `ptflame demo`: renders the bundled trace on any machine, without perf.
 */

import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { openTraceFile } from '../../src/pipeline/open-text.js';
import { general, outputs } from '../options/shared.js';
import { FORMATS, type Format, outputFormats } from '../output/formats.js';
import { refuseOverwriting } from '../output/refuse-overwriting.js';
import { defineCommand } from '../usage/define-command.js';
import { group } from '../usage/flag.js';
import { RenderOptions, renderInputs } from './render.js';

/** The options of `ptflame demo`. */
const DemoOptions = z.object({
  ...group('Output', {
    output: outputs(
      'where to write (default: flame.html); may be repeated',
      'where to write; the ending of FILE selects the format',
    ),
  }),
  ...general(),
});

export const command = defineCommand({
  examples: [
    ['ptflame demo', 'write flame.html'],
    ['ptflame demo -o -', 'print its folded stacks'],
  ],
  schema: DemoOptions,
  run: async ({ output = ['flame.html'], ...general }, signal) => {
    const options = RenderOptions.parse({ inputs: ['the bundled trace'], output, annotate: true, ...general });
    await demo(options, outputFormats(options, FORMATS), signal);
  },
});

/** Relative to `dist/cli`, the folder of all built files. */
const DEMO_TRACE = new URL('../../fixtures/demo/threads.perf.txt.gz', import.meta.url);

/** `options.inputs` is ignored. */
export async function demo(options: RenderOptions, formats: readonly Format[], signal: AbortSignal): Promise<void> {
  const trace = fileURLToPath(DEMO_TRACE);
  refuseOverwriting([trace], options.output ?? []);
  const input = await openTraceFile(trace);
  await renderInputs([{ ...input, name: 'the bundled trace' }], [], options, formats, signal);
}
