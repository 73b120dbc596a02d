/**
 * Formats the quality of a profile as terminal text: one line, and more for problems.
 */
import type { Profile, Quality } from '../../src/model/profile/profile.js';
import { formatCount, formatMany } from '../../src/render/format.js';
import { qualitySummary } from '../../src/render/quality-summary.js';
import { visibleText as escapeForTerminal } from '../../src/render/visible-text.js';
import { notify } from '../terminal/notify.js';

/** Lines of a garbled trace can have any length. */
const MAX_CHARACTERS = 80;

export function qualityLines(profile: Profile): string[] {
  const { quality } = profile;
  const { line, warnings, notes, isMostlyMissing } = qualitySummary(profile);
  const warned = warnings.map((warning) => `warning: ${warning}`);
  const lines = [
    ...(isMostlyMissing ? warned.splice(0, 1) : []),
    line,
    ...inputProblems(quality),
    ...warned,
    ...notes.map((note) => `note: ${note}`),
  ];
  return lines.map(escapeForTerminal);
}

/** Prints the quality to standard error, unless `quiet`. */
export async function notifyQuality(profile: Profile, { quiet }: { readonly quiet: boolean }): Promise<void> {
  if (quiet) return;
  const notes = profile.quality.unknownNs === 0 ? [] : await symbolNotes(profile);
  for (const line of [...qualityLines(profile), ...notes]) notify(line);
}

/** Loads the module only if some time has no symbol. */
async function symbolNotes(profile: Profile): Promise<string[]> {
  const { debugSymbolNotes } = await import('./debug-symbols.js');
  return (await debugSymbolNotes(profile)).map((note) => escapeForTerminal(`note: ${note}`));
}

type InputQuality = Pick<Quality, 'brokenInputs' | 'damagedLines' | 'lines' | 'firstDamaged'>;

/** Returns warnings about truncated inputs and damaged lines. */
export function inputProblems(quality: InputQuality): string[] {
  return [...brokenTexts(quality), ...damagedTexts(quality)];
}

function brokenTexts({ brokenInputs }: InputQuality): string[] {
  return brokenInputs.map(
    ({ input, reason }) => `warning: ${input} ends early (${reason}): the data read so far is used`,
  );
}

function damagedTexts({ damagedLines, lines, firstDamaged }: InputQuality): string[] {
  if (damagedLines === 0) return [];
  const head = `warning: ${formatCount(damagedLines)} of ${formatMany(lines, 'line')} damaged and skipped`;
  const shown = firstDamaged.map(
    ({ input, line, reason, text }) => `  ${input}:${line}: ${reason}: ${text.slice(0, MAX_CHARACTERS)}`,
  );
  return [head, ...shown];
}
