/**
 * Rejects profiles and options that need the individual calls of a trace: a profile has only sums.
 */

import { PtflameError } from '../../src/model/errors.js';
import type { Profile } from '../../src/model/profile/profile.js';
import type { RenderOptions } from '../options/render.js';

type ReplayOption = 'tailCalls' | 'noExtend' | 'cpu' | 'window' | 'root' | 'inside' | 'foldRecursion';

/** Options that only a trace supports. */
interface ReplayFlags extends Pick<RenderOptions, ReplayOption> {
  readonly byCalls?: boolean;
  readonly inline?: boolean;
}

/** @throws PtflameError BAD_OPTION for the first option that needs a trace */
export function refuseReplayOptions(profile: string, flags: ReplayFlags): void {
  const flag = givenFlag(flags);
  if (flag === null) return;
  throw new PtflameError('BAD_OPTION', `${flag} cannot be used with ${profile}, which is a profile`, {
    hint: `omit ${flag}, or pass the trace itself`,
  });
}

function givenFlag(flags: ReplayFlags): string | null {
  const { tailCalls, noExtend, byCalls, inline, cpu, window, root, inside, foldRecursion } = flags;
  const given: readonly (readonly [flag: string, isGiven: unknown])[] = [
    ['--tail-calls', tailCalls !== 'nest'],
    ['--no-extend', noExtend],
    ['--by-calls', byCalls],
    ['--inline', inline],
    ['--cpu', cpu],
    ['--window', window],
    ['--root', root],
    ['--inside', inside],
    ['--fold-recursion', foldRecursion],
  ];
  return given.find(([, isGiven]) => isGiven)?.[0] ?? null;
}

/** For commands that need the individual calls. @throws PtflameError INPUT_KIND */
export function refuseProfile(name: string): never {
  throw new PtflameError('INPUT_KIND', `${name} is a profile, which has only sums, not the individual calls`, {
    hint: 'pass the trace itself; ptflame import makes it fast to read',
  });
}

/** For commands that show times; reading already rejects traces without times. @throws PtflameError TIMELESS */
export function refuseTimeless({ meta }: Profile): void {
  if (meta.weight !== 'calls') return;
  throw new PtflameError('TIMELESS', 'the profile has no times, only calls', {
    hint: 'ptflame render shows its calls; for times, record with tsc=1 and decode without the Z of --itrace',
  });
}
