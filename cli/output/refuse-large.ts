/**
 * Refuses files in which each path has all of its names: they grow with the square of the depth, and all else linearly.
 */

import { PtflameError } from '../../src/model/errors.js';
import type { Profile } from '../../src/model/profile/profile.js';
import { foldedBytes, maxFoldedBytes } from '../../src/render/folded.js';
import { formatBytes } from '../../src/render/format.js';
import { notify } from '../terminal/notify.js';
import type { Format } from './formats.js';
import type { RendererOptions } from './renderers.js';

/** Larger folded stacks cause a warning. */
const LARGE_FOLDED_BYTES = 100_000_000;

/** @throws PtflameError OUTPUT_TOO_LARGE */
export async function refuseLarge(
  profile: Profile,
  formats: readonly Format[],
  {
    by,
    minNs,
    maxFolded,
    quiet,
  }: Pick<RendererOptions, 'by' | 'minNs'> & { readonly maxFolded: number; readonly quiet: boolean },
): Promise<void> {
  if (formats.includes('pprof') && maxFolded > 0) {
    const { pprofBytes } = await import('../../src/export/pprof.js');
    refuseLargeStacks('the stacks for pprof are, before compression,', pprofBytes(profile), maxFolded);
  }
  if (!formats.includes('folded')) return;
  const warnAt = Math.min(LARGE_FOLDED_BYTES, maxFolded || Number.POSITIVE_INFINITY);
  const bytes = maxFoldedBytes(profile) < warnAt ? 0 : foldedBytes(profile, { by, minNs });
  const why = refuseLargeStacks('the folded stacks are', bytes, maxFolded);
  if (bytes >= warnAt && !quiet)
    notify(`warning: ${why}: --min-ns N leaves out short paths, -o FILE.svg and -o FILE.html stay small`);
}

/** Returns why they are that large, if that is within the limit. `limit`: 0 for none. */
export function refuseLargeStacks(what: string, bytes: number, limit: number): string {
  const why = `${what} about ${formatBytes(bytes)}, as calls are nested deeply and each line has its full path`;
  if (limit > 0 && bytes > limit)
    throw new PtflameError('OUTPUT_TOO_LARGE', `${why}; the limit is ${formatBytes(limit)}`, {
      hint: '-o FILE.svg, .html and .json stay small; --max-folded SIZE sets another limit, 0 none',
    });
  return why;
}
