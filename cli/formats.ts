/**
 * Which format an output has, and who writes it.
 */
import { type Profile, renderFolded, renderJson, renderSvg } from '../src/index.js';
import type { RenderOptions } from './options.js';

export type Format = NonNullable<RenderOptions['format']>;
export type Renderer = (profile: Profile) => Iterable<string>;
type Looks = Pick<RenderOptions, 'annotate' | 'by' | 'minNs' | 'title' | 'width' | 'icicle' | 'minPx'>;

const ENDINGS: readonly (readonly [ending: string, format: Format])[] = [
  ['.svg', 'svg'],
  ['.html', 'html'],
  ['.htm', 'html'],
  ['.json', 'json'],
];

/** The format that was asked for, or else the one that the name promises. */
export function formatOf(path: string, format?: Format): Format {
  if (format !== undefined) return format;
  const name = path.toLowerCase();
  return ENDINGS.find(([ending]) => name.endsWith(ending))?.[1] ?? 'folded';
}

/** Who writes a format: loaded when it is asked for. */
export async function rendererOf(format: Format, looks: Looks): Promise<Renderer> {
  const { annotate, by, minNs, title, width, icicle, minPx } = looks;
  const named = { ...(title !== undefined && { title }) };
  switch (format) {
    case 'json':
      return renderJson;
    case 'folded':
      return (profile) => renderFolded(profile, { annotate, by, minNs });
    case 'html': {
      const { renderHtml } = await import('../src/page.js');
      return (profile) => renderHtml(profile, { icicle, ...named });
    }
    case 'svg': {
      const size = { ...(width !== undefined && { widthPx: width }), ...(minPx !== undefined && { minPx }) };
      return (profile) => renderSvg(profile, { by, icicle, ...named, ...size });
    }
  }
}
