/**
 * Says in words what stands out of a profile.
 */
import type { Profile } from '../../src/model/profile/profile.js';
import type { WaitsByPath } from '../../src/model/profile/waits-by-path.js';
import { findingsOfProfile } from '../../src/questions/findings.js';
import { type FindingContext, findingText } from '../../src/render/findings.js';
import { visibleText } from '../../src/render/visible-text.js';

/** Returns a line for each finding, the most important first. */
export function findingLines(profile: Profile): string[] {
  return findingsOfProfile(profile, null).map((finding) => lineOf(finding, profile));
}

/** Returns the line of the first finding but what is lost and inferred, which the quality says; null: none. */
export function firstFinding(profile: Profile, waits: WaitsByPath | null): string | null {
  const first = findingsOfProfile(profile, waits).find(({ kind }) => kind !== 'lost' && kind !== 'inferred');
  return first === undefined ? null : lineOf(first, profile);
}

function lineOf(finding: Parameters<typeof findingText>[0], { meta, quality, symbols }: Profile): string {
  const context: FindingContext = { meta, quality, nameOf: (symbol) => symbols.name[symbol] as string };
  return visibleText(findingText(finding, context));
}
