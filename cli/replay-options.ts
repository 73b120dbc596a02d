/**
 * Options that say how a trace is replayed; a profile was replayed when it was written.
 */
import { PtflameError } from '../src/index.js';
import type { RenderOptions } from './options.js';

type ReplayOptions = Pick<RenderOptions, 'tailCalls' | 'noExtend' | 'byCalls' | 'cpu'>;

/** @throws PtflameError BAD_OPTION for the first that could not do what it says */
export function refuseReplayOptions(profile: string, options: ReplayOptions): void {
  const flag = givenFlag(options);
  if (flag === null) return;
  throw new PtflameError('BAD_OPTION', `${flag} cannot be used with ${profile}: it is a profile, replayed already`, {
    hint: `leave it out, or render the trace itself with ${flag}`,
  });
}

function givenFlag({ tailCalls, noExtend, byCalls, cpu }: ReplayOptions): string | null {
  if (tailCalls !== 'nest') return '--tail-calls';
  if (noExtend) return '--no-extend';
  if (byCalls) return '--by-calls';
  return cpu === undefined ? null : '--cpu';
}
