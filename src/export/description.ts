/**
 * Describes a profile in lines of text, for tools that show comments: which part of a recording it is, and how far to trust it.
 */
import type { Profile } from '../model/profile/profile.js';
import { qualitySummary } from '../render/quality-summary.js';
import { visibleText } from '../render/visible-text.js';

export function descriptionOf(profile: Profile): string[] {
  const { line, damage, warnings, notes } = qualitySummary(profile);
  const part = profile.meta.part === null ? [] : [`only ${profile.meta.part}`];
  return [line, ...part, ...damage, ...warnings, ...notes].map(visibleText);
}
