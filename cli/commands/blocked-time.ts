/**
 * Loads the profile of `ptflame render --blocked-by`, on its own so that other graphs do not load what is known of waits.
 */

import { PtflameError } from '../../src/model/errors.js';
import type { Profile } from '../../src/model/profile/profile.js';
import { profileBlockedTime } from '../../src/questions/waits/blocked-by.js';
import type { CommandInput } from '../input/open-inputs.js';
import { requireTraces, withProgress } from '../input/traces.js';
import type { RenderOptions } from '../options/render.js';
import { notify } from '../terminal/notify.js';

/** @throws PtflameError BAD_OPTION for a trace without times, in which nobody waits */
export async function loadBlockedTime(
  inputs: readonly CommandInput[],
  options: RenderOptions,
  signal: AbortSignal,
): Promise<Profile> {
  if (options.byCalls)
    throw new PtflameError('BAD_OPTION', '--blocked-by shows times, and --by-calls is for traces without them', {
      hint: 'leave out --by-calls',
    });
  const traces = await requireTraces(inputs);
  const { profile } = await withProgress(traces, options, signal, async (analyzing) => ({
    profile: await profileBlockedTime(traces, analyzing),
  }));
  if (profile.threads.length === 0) notify(`warning: no thread was seen blocked${emptyBecause(profile, options)}`);
  return profile;
}

function emptyBecause({ meta }: Profile, { window, root, inside }: RenderOptions): string {
  if (meta.hasSwitches === false)
    return ': no switches of threads were recorded, so the graph is empty; record with ptflame record --waits, and decode text with perf script --show-switch-events';
  return window || root !== undefined || inside
    ? ' in the selected time and calls: the graph is empty'
    : ': the graph is empty';
}
