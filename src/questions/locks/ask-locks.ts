/**
 * Finds the locks that threads of a trace waited for, who held them, and what the holders did meanwhile.
 */

import { PtflameError } from '../../model/errors.js';
import type { Address } from '../../model/units.js';
import type { AnalyzeOptions } from '../../pipeline/analyze.js';
import type { TraceSource } from '../../pipeline/open-sources.js';
import type { AnalyzedInput } from '../../pipeline/read/read-trace.js';
import type { FunctionPattern } from '../../pipeline/replay/find-functions.js';
import { type CallPattern, partText } from '../../pipeline/replay/selection.js';
import { type Found, headOf, qualityOf } from '../common.js';
import { type TraceWaits, withWaits } from '../waits/ask-waits.js';
import { waitsHead } from '../waits/missing.js';
import { askedInside, callsAsked, insideCalls, type ThreadCalls } from '../waits/spans-of-calls.js';
import { askHolders, holdingsOf } from './holdings.js';
import { locksInputOf } from './locks-input.js';
import type { Locks } from './schema.js';
import { describeWaits, slowestWaits, summarizeLocks, totalOf } from './summarize-locks.js';

export interface LocksOptions {
  /** How many of the longest waits for locks to list one by one. Default: none. */
  readonly slowest?: number;
  /** Only the object at this address, in hexadecimal. */
  readonly address?: string;
  /** Only waits inside these calls. */
  readonly inside?: CallPattern | FunctionPattern;
}

type LocksResult = Found<Locks>;

/** @throws PtflameError as `analyze`, but recordings may lack Intel PT; for `inside`, as `callsAsked` */
export function askLocks(
  inputs: readonly (TraceSource | AnalyzedInput)[],
  { slowest: count = 0, address, inside }: LocksOptions = {},
  options: AnalyzeOptions = {},
): Promise<LocksResult> {
  return withWaits(inputs, { ...options, asksAgain: true }, async (traceWaits) => {
    const asked = address === undefined ? null : parseAddress(address);
    const calls = inside === undefined ? null : await callsAsked(askedInside(traceWaits), inside);
    const { locks, slowest } = await locksOf(traceWaits, count, asked, calls);
    const head = waitsHead(traceWaits, {
      part: partText(options),
      isSeen: () => true,
      isOfLocks: true,
      hasUnseenWakers: locks.some(({ wakers }) => wakers.some(({ kind }) => kind === 'not-seen')),
    });
    const profile = traceWaits.calls?.profile ?? null;
    return { ...head, inside: calls && insideCalls(calls), total: totalOf(locks), locks, slowest, profile };
  });
}

/** Finds what threads waited for, and `count` of the longest waits for locks. `address`, `inside`: null: all. */
export async function locksOf(
  traceWaits: TraceWaits,
  count: number,
  address: Address | null,
  inside: ThreadCalls | null,
): Promise<Pick<Locks, 'locks' | 'slowest'>> {
  const input = locksInputOf(traceWaits, address, inside);
  const slowRows = slowestWaits(input, count);
  const holdings = holdingsOf(input, slowRows);
  const spotsOf = await askHolders(input, holdings);
  return {
    locks: summarizeLocks(input, holdings, spotsOf),
    slowest: describeWaits(input, slowRows, holdings, spotsOf),
  };
}

/** The answer that `ptflame locks` prints. */
export function locksAnswer({ profile, ...found }: LocksResult): Locks {
  return { ...headOf('ptflame-locks'), ...found, quality: profile && qualityOf(profile) };
}

/** @throws PtflameError BAD_OPTION */
function parseAddress(text: string): Address {
  const digits = text.replace(/^0x/i, '');
  if (/^[0-9a-f]{1,16}$/i.test(digits)) return Number(BigInt.asIntN(64, BigInt(`0x${digits}`)));
  throw new PtflameError('BAD_OPTION', `${text} is not an address`, { hint: 'such as 0x7f0012345678' });
}
