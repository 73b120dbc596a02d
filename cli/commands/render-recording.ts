/**
 * `ptflame record --render`: what `ptflame render RECORDING -o FILE` would do.
 */
import { checkOptions } from '../flags.js';
import { RenderOptions } from '../options.js';
import { render } from './render.js';

/** The one place where a fresh recording goes on to be rendered. */
export async function renderRecording(
  recording: string,
  outputs: readonly string[],
  { perf, quiet }: { readonly perf: string; readonly quiet: boolean },
  signal: AbortSignal,
): Promise<void> {
  await render(checkOptions(RenderOptions, { inputs: [recording], output: outputs, perf, quiet }), signal);
}
