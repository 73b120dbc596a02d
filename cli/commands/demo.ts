/**
 * `ptflame demo`: renders the bundled trace, on any machine, without perf.
 */
import { fileURLToPath } from 'node:url';
import { openTraceFile } from '../../src/index.js';
import type { RenderOptions } from '../options/render.js';
import type { Format } from '../output/formats.js';
import { refuseOverwriting } from '../output/refuse-overwriting.js';

/** As seen from `dist/cli`, where the built program lies, all of it in one folder. */
const DEMO_TRACE = new URL('../../fixtures/demo/threads.perf.txt.gz', import.meta.url);

/** `options`: with `inputs` that nobody reads. */
export async function demo(options: RenderOptions, formats: readonly Format[], signal: AbortSignal): Promise<void> {
  const trace = fileURLToPath(DEMO_TRACE);
  await refuseOverwriting([trace], options.output ?? []);
  const input = await openTraceFile(trace);
  const { renderInputs } = await import('./render.js'); // so that both commands load it from one file
  await renderInputs([{ ...input, name: 'the bundled trace' }], [], options, formats, signal);
}
