/**
 * The quality summary as terminal text: one line if all is well, more for what is not.
 */
import { type Profile, type Quality, qualitySummary } from '../../src/index.js';
import { visibleText as escapeForTerminal, formatCount, formatMany } from '../../src/text.js';
import { notify } from '../terminal/notify.js';

/** A garbled trace has lines of any length. */
const MOST_CHARACTERS = 80;

export function qualityLines(profile: Profile): string[] {
  const { quality } = profile;
  const { line, doubts, notes } = qualitySummary(profile);
  const lines = [
    line,
    ...inputProblems(quality),
    ...doubts.map((doubt) => `warning: ${doubt}`),
    ...notes.map((note) => `note: ${note}`),
  ];
  return lines.map(escapeForTerminal);
}

/** On standard error; nothing if `quiet`. */
export async function notifyQuality(profile: Profile, { quiet }: { readonly quiet: boolean }): Promise<void> {
  if (quiet) return;
  const notes = profile.quality.unknownNs === 0 ? [] : await notesOn(profile);
  for (const line of [...qualityLines(profile), ...notes]) notify(line);
}

/** Loaded by who needs it. */
async function notesOn(profile: Profile): Promise<string[]> {
  const { debugSymbolNotes } = await import('./debug-symbols.js');
  return (await debugSymbolNotes(profile)).map((note) => escapeForTerminal(`note: ${note}`));
}

type Account = Pick<Quality, 'brokenInputs' | 'damagedLines' | 'lines' | 'firstDamaged'>;

/** What is wrong with what was read, whatever became of it. */
export function inputProblems(account: Account): string[] {
  return [...brokenTexts(account), ...damagedTexts(account)];
}

function brokenTexts({ brokenInputs }: Account): string[] {
  return brokenInputs.map(({ input, reason }) => `warning: ${input} breaks off (${reason}): what came before is used`);
}

function damagedTexts({ damagedLines, lines, firstDamaged }: Account): string[] {
  if (damagedLines === 0) return [];
  const head = `warning: ${formatCount(damagedLines)} of ${formatMany(lines, 'line')} damaged and left out`;
  const shown = firstDamaged.map(
    ({ input, line, reason, text }) => `  ${input}:${line}: ${reason}: ${text.slice(0, MOST_CHARACTERS)}`,
  );
  return [head, ...shown];
}
