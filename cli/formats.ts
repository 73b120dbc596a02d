/**
 * Which format an output has, and who writes it.
 */
import { type Profile, PtflameError, renderFolded, renderJson, renderSvg } from '../src/index.js';
import type { RenderOptions } from './options.js';

export type Format = NonNullable<RenderOptions['format']>;
type Looks = Pick<RenderOptions, 'annotate' | 'by' | 'minNs' | 'title' | 'width' | 'icicle' | 'minPx'>;

/** Formats that other versions write; an ending that names one is not to be filled with something else. */
const OTHER_FORMATS = /\.html?$/i;
const ENDINGS: readonly Format[] = ['svg', 'json'];

/**
 * The format that was asked for, or else the one that the name promises.
 *
 * @throws PtflameError BAD_OPTION for a name that promises what would not be in it
 */
export function formatOf(path: string, format?: Format): Format {
  if (format !== undefined) return format;
  const name = path.toLowerCase();
  if (!OTHER_FORMATS.test(name)) return ENDINGS.find((ending) => name.endsWith(`.${ending}`)) ?? 'folded';
  throw new PtflameError('BAD_OPTION', `-o ${path}: this version writes SVG, folded stacks and JSON, not HTML`, {
    hint: 'name it .svg, .folded or .json, or say --format svg, folded or json',
  });
}

export function renderAs(format: Format, profile: Profile, looks: Looks): Iterable<string> {
  const { annotate, by, minNs, title, width, icicle, minPx } = looks;
  if (format === 'json') return renderJson(profile);
  if (format === 'folded') return renderFolded(profile, { annotate, by, minNs });
  const given = {
    ...(title !== undefined && { title }),
    ...(width !== undefined && { widthPx: width }),
    ...(minPx !== undefined && { minPx }),
  };
  return renderSvg(profile, { by, icicle, ...given });
}
