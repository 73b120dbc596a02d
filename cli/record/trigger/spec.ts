/**
 * Parses what `--trigger` takes: `signal`, a function and how long a call of it must last, or two places and how long the way from
 * one to the other must take. Refuses options that contradict it, or the lack of it.
 */
import { PtflameError } from '../../../src/model/errors.js';
import { endsOfSpan } from '../../../src/pipeline/replay/find-functions.js';
import { kebabCase } from '../../usage/flag.js';
import type { RecordOptions } from '../options.js';
import { refuseWithoutTrace } from '../recording-plan.js';

export interface CallTrigger {
  readonly kind: 'call';
  /** As typed, without the time. */
  readonly function: string;
  /** The place that ends what the function begins; null: its own returns do. */
  readonly to: string | null;
  /** `entry`: a snapshot when the call begins; `end`: when it ends. */
  readonly at: 'entry' | 'end';
  /** Calls that last at least this long. */
  readonly minNs: number;
}

export type Trigger = { readonly kind: 'signal' } | CallTrigger;

const NS = { ns: 1, us: 1e3, µs: 1e3, ms: 1e6, s: 1e9, m: 60e9 } as const;
/** The last ">" that a time follows: `operator>` and `vector<vector<int>>` have others. */
const LIMIT = /^(.*?)\s*>\s*(\d{1,9}(?:\.\d{1,6})?)(ns|us|µs|ms|s|m)$/;
const ENTRY = /^(.*)@entry$/;

/** @throws PtflameError BAD_OPTION */
export function parseTrigger(text: string): Trigger {
  if (text === 'signal') return { kind: 'signal' };
  const [, limited, count, unit] = LIMIT.exec(text) ?? [];
  const minNs = limited === undefined ? 0 : Number(count) * NS[unit as keyof typeof NS];
  const rest = (limited ?? text).trim();
  const [, entered] = ENTRY.exec(rest) ?? [];
  const name = entered ?? rest;
  if (name === '' || /[>@]\s*\d[^()<>]*$/.test(name)) throw unclear(text, 'is no function and time');
  if (entered !== undefined && minNs > 0) throw unclear(text, 'has no time yet when the call begins');
  const [from, to] = endsOfSpan(name) ?? [name, null];
  if (entered !== undefined && to !== null)
    throw unclear(text, 'ends when the call of the second function begins anyway');
  return { kind: 'call', function: from, to, at: entered === undefined ? 'end' : 'entry', minNs };
}

function unclear(text: string, why: string): PtflameError {
  return new PtflameError('BAD_OPTION', `--trigger ${text}: this ${why}`, {
    hint: "such as --trigger 'parse>10ms', --trigger 'parse..reply>10ms', --trigger parse@entry, or --trigger signal",
  });
}

const OF_CAPTURES = ['keep', 'keepSize', 'every', 'maxCost', 'early'] as const;
const USELESS = ['waits', 'kernel', 'only', 'filter', 'perThread', 'dryRun'] as const;

/** Without a function as a trigger. @throws PtflameError BAD_OPTION */
export function refuseCaptureOptions(options: RecordOptions): void {
  const useless = OF_CAPTURES.find((name) => options[name] !== undefined && options[name] !== false);
  if (useless === undefined) return;
  throw new PtflameError('BAD_OPTION', `--${kebabCase(useless)} works only with --trigger FUNCTION`, {
    hint: "add --trigger, such as --trigger 'parse>10ms'",
  });
}

/** With a function as a trigger. @throws PtflameError BAD_OPTION */
export function refuseUselessOptions(options: RecordOptions, { minNs }: CallTrigger): void {
  refuseWithoutTrace(options);
  if (options.early && minNs === 0)
    throw new PtflameError('BAD_OPTION', '--early needs a time after which a call is slow', {
      hint: "add it, such as --trigger 'parse>10ms'",
    });
  const bare = (['probe', 'why'] as const).find((name) => options[name] !== undefined && options[name] !== false);
  if (bare !== undefined && !options.noTrace)
    throw new PtflameError('BAD_OPTION', `--trigger FUNCTION and --${bare} go together only with --no-trace`, {
      hint: `add --no-trace, or leave --${bare} out`,
    });
  const useless = USELESS.find((name) => options[name] !== undefined && options[name] !== false);
  if (useless === undefined) return;
  throw new PtflameError('BAD_OPTION', `--trigger FUNCTION and --${kebabCase(useless)} are mutually exclusive`, {
    hint: 'choose one of them',
  });
}
