/**
 * Says in words what stands out of a profile.
 */
import { PtflameError } from '../../src/model/errors.js';
import type { Profile } from '../../src/model/profile/profile.js';
import type { WaitsByPath } from '../../src/model/profile/waits-by-path.js';
import { findingsOfProfile } from '../../src/questions/findings.js';
import { findingText } from '../../src/render/findings.js';
import { visibleText } from '../../src/render/visible-text.js';

type Findings = ReturnType<typeof findingsOfProfile>;

/** Returns a line for each finding, the most important first. */
export function findingLines(profile: Profile): string[] {
  return foundIn(profile, null).map((finding) => lineOf(finding, profile));
}

/** Returns the line of the first finding but what is lost and inferred, which the quality says; null: none. */
export function firstFinding(profile: Profile, waits: WaitsByPath | null): string | null {
  const first = foundIn(profile, waits).find(({ kind }) => kind !== 'lost' && kind !== 'inferred');
  return first === undefined ? null : lineOf(first, profile);
}

/** Finding takes memory for one tree of all threads: no room for that is no reason to fail. */
function foundIn(profile: Profile, waits: WaitsByPath | null): Findings {
  try {
    return findingsOfProfile(profile, waits);
  } catch (error) {
    if (error instanceof PtflameError && error.code === 'TOO_LARGE') return [];
    throw error;
  }
}

function lineOf(finding: Findings[number], { meta, quality, symbols }: Profile): string {
  const nameOf = (symbol: number) => symbols.name[symbol] as string;
  return visibleText(findingText(finding, { meta, quality, nameOf }));
}
