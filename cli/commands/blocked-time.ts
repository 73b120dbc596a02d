/**
 * Loads the profile of `ptflame render --blocked-by`, on its own so that other graphs do not load what is known of waits.
 */
import { type Profile, PtflameError } from '../../src/profiles.js';
import { profileBlockedTime } from '../../src/waits.js';
import type { CommandInput } from '../input/open-inputs.js';
import { requireTraces, withProgress } from '../input/traces.js';
import type { RenderOptions } from '../options/render.js';
import { notify } from '../terminal/notify.js';

/** @throws PtflameError BAD_OPTION for a selection of calls, which says nothing of the threads that others wait for */
export async function loadBlockedTime(
  inputs: readonly CommandInput[],
  options: RenderOptions,
  signal: AbortSignal,
): Promise<Profile> {
  const { window, root, inside, foldRecursion, byCalls } = options;
  if (window || root !== undefined || inside || foldRecursion || byCalls)
    throw new PtflameError('BAD_OPTION', '--blocked-by shows all blocked time of the selected threads', {
      hint: 'leave out --window, --root, --inside, --fold-recursion and --by-calls',
    });
  const traces = await requireTraces(inputs);
  const profile = await withProgress(traces, options, signal, (analyzing) => profileBlockedTime(traces, analyzing));
  if (profile.threads.length === 0)
    notify('warning: no thread was seen blocked: the graph is empty; record with ptflame record --waits');
  return profile;
}
