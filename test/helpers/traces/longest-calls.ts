/**
 * Analyzes traces with all of their calls, as `ptflame render` does for tools that show calls over time.
 */
import type { AnalyzeOptions, Profile } from '../../../src/index.js';
import type { LongestCalls } from '../../../src/model/calls/call-events.js';
import { analyzeForPage } from '../../../src/page/contents/analyze-for-page.js';
import { inputOf } from './load.js';

export async function callsOf(
  text: Uint8Array | string,
  options: AnalyzeOptions = {},
): Promise<{ profile: Profile; longestCalls: LongestCalls }> {
  const all = { longestCalls: {}, trees: 'apart', ...options } as const;
  const { profile, longestCalls } = await analyzeForPage([inputOf(text)], all);
  if (longestCalls === null) throw new Error('calls were not asked for');
  return { profile, longestCalls };
}
