/**
 * Options that ask about the calls of a trace; a profile was replayed when it was written, and has only sums.
 */
import { type Profile, PtflameError } from '../../src/index.js';
import type { RenderOptions } from '../options/render.js';

type ReplayOption = 'tailCalls' | 'noExtend' | 'cpu' | 'window' | 'root' | 'inside' | 'foldRecursion';

/** What only a trace can be asked. */
interface ReplayFlags extends Pick<RenderOptions, ReplayOption> {
  readonly byCalls?: boolean;
}

/** @throws PtflameError BAD_OPTION for the first that could not do what it says */
export function refuseReplayOptions(profile: string, flags: ReplayFlags): void {
  const flag = givenFlag(flags);
  if (flag === null) return;
  throw new PtflameError('BAD_OPTION', `${flag} cannot be used with ${profile}: it is a profile, replayed already`, {
    hint: `leave it out, or name the trace itself with ${flag}`,
  });
}

function givenFlag(flags: ReplayFlags): string | null {
  const { tailCalls, noExtend, byCalls, cpu, window, root, inside, foldRecursion } = flags;
  const given: readonly (readonly [flag: string, isGiven: unknown])[] = [
    ['--tail-calls', tailCalls !== 'nest'],
    ['--no-extend', noExtend],
    ['--by-calls', byCalls],
    ['--cpu', cpu],
    ['--window', window],
    ['--root', root],
    ['--inside', inside],
    ['--fold-recursion', foldRecursion],
  ];
  return given.find(([, isGiven]) => isGiven)?.[0] ?? null;
}

/** Of commands that need to know each call. @throws PtflameError INPUT_KIND */
export function refuseProfile(name: string): never {
  throw new PtflameError('INPUT_KIND', `${name} is a profile: it has the sums of calls, not the calls themselves`, {
    hint: 'name the trace itself; ptflame import makes a file of it that is read fast',
  });
}

/** Of commands that tell times: a trace without them is refused as it is read. @throws PtflameError TIMELESS */
export function refuseTimeless({ meta }: Profile): void {
  if (meta.weight !== 'calls') return;
  throw new PtflameError('TIMELESS', 'the profile has no times, only calls', {
    hint: 'ptflame render shows its calls; for times, record with tsc=1 and decode without the Z of --itrace',
  });
}
