/**
 * Says which files of recordings are not there or are other builds: how many before decoding, which takes long, and afterwards
 * which, by the time that was lost with them.
 */
import type { Quality } from '../../src/model/profile/profile.js';
import type { NeededFile } from '../../src/perfdata/pack/needed-files.js';
import { formatDuration, formatMany } from '../../src/render/format.js';

/** `symfs`: where they were looked for; null: where they ran, or in a pack. */
export interface LackingFiles {
  readonly files: readonly NeededFile[];
  readonly symfs: string | null;
}

/** An input may know what it lacks. */
export interface MayLack {
  readonly lacking?: LackingFiles;
}

/** Returns one line if anything is lacking. Not escaped. */
export function lackingAtFirst({ files, symfs }: LackingFiles): string[] {
  const [only, ...others] = files;
  if (only === undefined) return [];
  if (others.length === 0) return [lineOf(only, symfs, 0)];
  const states = Object.keys(STATES).filter((state) => files.some((file) => file.state === state));
  const what = states.map((state) => STATES[state as State]).join(', or ');
  return [`warning: ${formatMany(files.length, 'file')}${below(symfs)} ${what}: listed after decoding`];
}

/**
 * Returns lines about what several files cost, the largest loss first; one file alone has had its line. Not escaped.
 * `losses`: null: they are not known.
 */
export function lackingByLoss(inputs: readonly MayLack[], losses: Quality['losses'] | null): string[] {
  const lostNs = new Map<string, number>();
  for (const { file, lostNs: ns } of losses ?? []) if (file !== null) lostNs.set(file, (lostNs.get(file) ?? 0) + ns);
  const rows = inputs
    .flatMap(({ lacking }) => (lacking === undefined || lacking.files.length < 2 ? [] : [lacking]))
    .flatMap(({ files, symfs }) => files.map((file) => ({ file, symfs, lostNs: lostNs.get(file.path) ?? 0 })))
    .filter(({ file, lostNs }) => losses === null || lostNs > 0 || file.state === 'changed')
    .sort((a, b) => b.lostNs - a.lostNs); // stable: else by path
  const rest = rows.length - MAX_LINES;
  return [
    ...rows.slice(0, MAX_LINES).map(({ file, symfs, lostNs }) => lineOf(file, symfs, lostNs)),
    ...(rest > 0 ? [`warning: the same of ${formatMany(rest, 'more file')}`] : []),
  ];
}

type State = Exclude<NeededFile['state'], 'same'>;

const MAX_LINES = 10;
const STATES: Readonly<Record<State, string>> = {
  missing: 'are missing',
  unreadable: 'are not readable',
  changed: 'are not the build that was recorded',
};
const STATE: Readonly<Record<NeededFile['state'], string>> = {
  same: 'is present',
  changed: 'is not the build that was recorded',
  unreadable: 'is not readable',
  missing: 'is missing',
};

function lineOf({ path, state }: NeededFile, symfs: string | null, lostNs: number): string {
  const consequence = state === 'changed' ? 'what is decoded of its code may be wrong' : 'its code cannot be decoded';
  const lost = lostNs === 0 ? '' : `, ${formatDuration(lostNs)} lost`;
  return `warning: ${path}${below(symfs)} ${STATE[state]}: ${consequence}${lost}`;
}

function below(symfs: string | null): string {
  return symfs === null ? '' : ` below ${symfs}`;
}
