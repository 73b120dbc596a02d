/**
 * `ptflame diff`: compares two traces or profiles, or two parts of a trace.
 */

import { PtflameError } from '../../../src/model/errors.js';
import type { Profile } from '../../../src/model/profile/profile.js';
import { diffOf } from '../../../src/questions/diff/answer.js';
import type { Diff } from '../../../src/questions/schema.js';
import { nameMatcher } from '../../../src/trace/records/thread-names.js';
import { diffCsv, diffLines } from '../../answers/diff/diff.js';
import { refuseAbove } from '../../answers/diff/limits.js';
import { openInputs } from '../../input/open-inputs.js';
import { loadTimedProfile } from '../../input/traces.js';
import { type DiffOptions, diffFiles } from '../../options/questions/diff.js';
import type { SideSelection } from '../../options/values/diff-values.js';
import { openAnswer } from '../../output/answer.js';
import { openDiffOutputs } from '../../output/diff-outputs.js';
import { qualityLines } from '../../output/lines.js';
import { notify } from '../../terminal/notify.js';

export async function diff(options: DiffOptions, signal: AbortSignal): Promise<void> {
  const { beforeInput, sort, top, match, per = null, failAbove = [], strict, quiet } = options;
  const afterInput = options.afterInput ?? sameInput(options);
  if (beforeInput === '-' && afterInput === '-') throw bothStandardInput();
  const inputs = [beforeInput, afterInput];
  const outputs = await openDiffOutputs(options, inputs);
  const { tables } = diffFiles(options);
  const table = await openAnswer({ ...options, output: tables }, inputs);
  const before = await read(beforeInput, options, 'before', signal);
  const after = await read(afterInput, options, 'after', signal);
  const all = diffOf(before, after, { sort, per });
  const answer = match ? matching(all, match) : all;
  await outputs.write(before, after, answer);
  await table.write({
    json: () => answer,
    text: (width) => diffLines(answer, { width, top, isQuiet: quiet }),
    csv: () => diffCsv(answer, options.srcline),
  });
  if (!quiet) {
    for (const [name, profile] of Object.entries({ before, after }))
      for (const line of qualityLines(profile)) notify(`${name}: ${line}`);
    for (const line of await outputs.lines()) notify(line);
    const text = tables?.find((path) => path.toLowerCase().endsWith('.txt'));
    if (text !== undefined)
      notify(`note: ${text} has the table; folded stacks, which it had before, are written to .folded`);
  }
  refuseAbove(all, failAbove, { isStrict: strict, isQuiet: quiet });
}

async function read(
  path: string,
  options: DiffOptions,
  which: 'before' | 'after',
  signal: AbortSignal,
): Promise<Profile> {
  const side = options[which];
  const given = Object.fromEntries(Object.entries(side?.flags ?? {}).filter(([, value]) => value !== undefined));
  const flags = { ...options, ...given };
  const inputs = await openInputs([path], flags, signal);
  try {
    return await loadTimedProfile(inputs, flags, { trees: 'together', durations: true }, signal);
  } catch (error) {
    throw side ? ofSide(error, `--${which}`, side) : error;
  }
}

/** Names the option by which nothing is selected. */
function ofSide(error: unknown, option: string, { text }: SideSelection): unknown {
  if (!(error instanceof PtflameError) || error.code !== 'NOTHING_SELECTED') return error;
  return new PtflameError('NOTHING_SELECTED', `${option} ${text}: ${error.message}`, {
    hint: `change ${option}; ptflame render --by thread shows which threads there are`,
    cause: error,
  });
}

function matching(diff: Diff, match: RegExp): Diff {
  const isFound = nameMatcher(
    match,
    diff.functions.map(({ name }) => name),
  );
  const functions = diff.functions.filter(({ name }) => isFound(name));
  return { ...diff, functions };
}

/** @throws PtflameError BAD_OPTION unless a side is a part of the trace */
function sameInput({ before, after, beforeInput }: DiffOptions): string {
  if (before !== undefined || after !== undefined) return beforeInput;
  throw new PtflameError('BAD_OPTION', 'diff needs AFTER', {
    hint: 'name a second trace, or compare two parts of one: ptflame diff trace.ptf --before tid=12 --after tid=34; see ptflame diff --help',
  });
}

function bothStandardInput(): PtflameError {
  return new PtflameError('BAD_OPTION', 'standard input (-) can be read only once', {
    hint: 'import it first: ptflame import - -o trace.ptf',
  });
}
