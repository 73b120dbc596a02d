/**
 * `ptflame diff`: compares two traces or profiles.
 */
import { type Diff, diffOf, nameMatcher } from '../../../src/answers.js';
import type { Profile } from '../../../src/index.js';
import { diffLines } from '../../answers/diff.js';
import { openInputs } from '../../input/open-inputs.js';
import { loadTimedProfile } from '../../input/traces.js';
import type { DiffOptions } from '../../options/diff.js';
import { refuseTwoFormats, writeAnswer } from '../../output/answer.js';
import { qualityLines } from '../../quality/lines.js';
import { notify } from '../../terminal/notify.js';
import { tableWidth } from '../../terminal/width.js';

export async function diff(options: DiffOptions, signal: AbortSignal): Promise<void> {
  refuseTwoFormats(options);
  const before = await read(options.before, options, signal);
  const after = await read(options.after, options, signal);
  const { sort, top, match } = options;
  const names = [before, after].flatMap(({ symbols }) => symbols.name);
  const answer = diffOf(before, after, { sort, ...(match && { match: nameMatcher(match, names) }) });
  await writeAnswer(
    { json: () => answer, text: () => diffLines(answer, tableWidth(), top), csv: () => csvRows(answer) },
    options,
  );
  if (options.quiet) return;
  for (const [name, profile] of [
    ['before', before],
    ['after', after],
  ] as const)
    for (const line of qualityLines(profile)) notify(`${name}: ${line}`);
}

async function read(path: string, options: DiffOptions, signal: AbortSignal): Promise<Profile> {
  const inputs = await openInputs([path], options, signal);
  return loadTimedProfile(inputs, options, { trees: 'together', durations: true }, signal);
}

const CHANGES = ['calls', 'totalNs', 'selfNs', 'outsideNs', 'avgNs', 'p99Ns'] as const;
/** Later additions are appended, so that columns keep their positions. */
const ADDED_CHANGES = ['inferred', 'unwound', 'outsideSelfNs', 'maxNs', 'longestCutNs'] as const;

function csvRows({ functions }: Diff): (string | number | boolean | null)[][] {
  const changes = [...CHANGES, ...ADDED_CHANGES];
  const titles = changes.flatMap((name) => [`${name} before`, `${name} after`]);
  const rows = functions.map((row) => {
    return [row.name, row.dso, ...changes.flatMap((name) => [row[name].before, row[name].after]), row.isStop];
  });
  return [['name', 'dso', ...titles, 'isStop'], ...rows];
}
