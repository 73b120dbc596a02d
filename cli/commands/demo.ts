/**
 * `ptflame demo`: renders the bundled trace, on any machine, without perf.
 */
import { fileURLToPath } from 'node:url';
import { openTraceFile } from '../../src/index.js';
import { visibleText as escapeForTerminal } from '../../src/text.js';
import type { DemoOptions } from '../options.js';
import { refuseOverwriting } from '../refuse-overwriting.js';
import { renderInputs } from './render.js';

/** As seen from `dist/cli`, where the built program lies, all of it in one folder. */
const DEMO_TRACE = new URL('../../fixtures/demo/threads.perf.txt.gz', import.meta.url);

export async function demo({ output, quiet }: DemoOptions, signal: AbortSignal): Promise<void> {
  const paths = output ?? ['flame.html'];
  const trace = fileURLToPath(DEMO_TRACE);
  await refuseOverwriting([trace], paths);
  const input = await openTraceFile(trace);
  const options = {
    annotate: true,
    by: 'none',
    minNs: 0,
    icicle: false,
    tailCalls: 'nest',
    noExtend: false,
    foldRecursion: false,
    byCalls: false,
    quiet,
  } as const;
  await renderInputs([{ ...input, name: 'the bundled trace' }], paths, options, signal);
  if (!quiet) process.stderr.write(`wrote ${escapeForTerminal(paths.join(', '))}\n`);
}
