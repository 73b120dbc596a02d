/**
 * Says in words what stands out of a profile.
 */
import type { Profile } from '../../src/model/profile/profile.js';
import type { WaitsByPath } from '../../src/model/profile/waits-by-path.js';
import { findingTexts } from '../../src/render/findings.js';
import { visibleText } from '../../src/render/visible-text.js';
import { toPtflameError } from '../process/exit.js';

/** Returns a line for each finding, the most important first. */
export function findingLines(profile: Profile): string[] {
  return textsOf(profile, null).map(({ text }) => visibleText(text));
}

/** Returns the line of the first finding but what is lost and inferred, which the quality says; null: none. */
export function firstFinding(profile: Profile, waits: WaitsByPath | null): string | null {
  const first = textsOf(profile, waits).find(({ kind }) => kind !== 'lost' && kind !== 'inferred');
  return first === undefined ? null : visibleText(first.text);
}

/** Finding takes memory for one tree of all threads: no room for that is no reason to fail. */
function textsOf(profile: Profile, waits: WaitsByPath | null): ReturnType<typeof findingTexts> {
  try {
    return findingTexts(profile, waits);
  } catch (error) {
    if (toPtflameError(error).code === 'TOO_LARGE') return [];
    throw error;
  }
}
