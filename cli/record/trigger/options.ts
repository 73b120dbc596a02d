/**
 * Refuses options that contradict a trigger, or the lack of one.
 */
import { PtflameError } from '../../../src/model/errors.js';
import { kebabCase } from '../../usage/flag.js';
import type { RecordOptions } from '../options.js';
import { refuseWithoutTrace } from '../recording-plan.js';

const OF_CAPTURES = ['keep', 'every', 'maxCost'] as const;
const USELESS = ['waits', 'probe', 'kernel', 'only', 'filter', 'perThread', 'dryRun'] as const;

/** Without a function as a trigger. @throws PtflameError BAD_OPTION */
export function refuseCaptureOptions(options: RecordOptions): void {
  const useless = OF_CAPTURES.find((name) => options[name] !== undefined);
  if (useless === undefined) return;
  throw new PtflameError('BAD_OPTION', `--${kebabCase(useless)} works only with --trigger FUNCTION`, {
    hint: "add --trigger, such as --trigger 'parse>10ms'",
  });
}

/** With a function as a trigger. @throws PtflameError BAD_OPTION */
export function refuseUselessOptions(options: RecordOptions): void {
  refuseWithoutTrace(options);
  const useless = USELESS.find((name) => options[name] !== undefined && options[name] !== false);
  if (useless === undefined) return;
  throw new PtflameError('BAD_OPTION', `--trigger FUNCTION and --${kebabCase(useless)} are mutually exclusive`, {
    hint: 'choose one of them',
  });
}
