/**
 * Which format an output has, and who writes it.
 */
import { type Profile, PtflameError, renderFolded, renderJson } from '../src/index.js';
import type { RenderOptions } from './options.js';

export type Format = NonNullable<RenderOptions['format']>;
type Looks = Pick<RenderOptions, 'annotate' | 'by' | 'minNs'>;

/** Formats that other versions write; an ending that names one is not to be filled with something else. */
const OTHER_FORMATS = /\.(svg|html?)$/i;

/**
 * The format that was asked for, or else the one that the name promises.
 *
 * @throws PtflameError BAD_OPTION for a name that promises what would not be in it
 */
export function formatOf(path: string, format?: Format): Format {
  if (format !== undefined) return format;
  const ending = OTHER_FORMATS.exec(path)?.[1];
  if (ending === undefined) return /\.json$/i.test(path) ? 'json' : 'folded';
  throw new PtflameError('BAD_OPTION', `-o ${path}: this version writes folded stacks and JSON, not ${ending}`, {
    hint: 'name it .folded or .json, or say --format folded or --format json',
  });
}

export function renderAs(format: Format, profile: Profile, { annotate, by, minNs }: Looks): Iterable<string> {
  if (format === 'json') return renderJson(profile);
  return renderFolded(profile, { annotate, by, minNs });
}
