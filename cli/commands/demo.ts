/**
 * `ptflame demo`: renders the bundled trace on any machine, without perf.
 */
import { fileURLToPath } from 'node:url';
import { openTraceFile } from '../../src/pipeline/input/open-text.js';
import type { RenderOptions } from '../options/render.js';
import type { Format } from '../output/formats.js';
import { refuseOverwriting } from '../output/refuse-overwriting.js';

/** Relative to `dist/cli`, the folder of all built files. */
const DEMO_TRACE = new URL('../../fixtures/demo/threads.perf.txt.gz', import.meta.url);

/** `options.inputs` is ignored. */
export async function demo(options: RenderOptions, formats: readonly Format[], signal: AbortSignal): Promise<void> {
  const trace = fileURLToPath(DEMO_TRACE);
  refuseOverwriting([trace], options.output ?? []);
  const input = await openTraceFile(trace);
  const { renderInputs } = await import('./render.js'); // both commands load it from one chunk
  await renderInputs([{ ...input, name: 'the bundled trace' }], [], options, formats, signal);
}
