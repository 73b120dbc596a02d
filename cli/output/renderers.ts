/**
 * A format → who writes it.
 */
import { type Profile, renderFolded, renderJson, renderSvg } from '../../src/index.js';
import type { RenderOptions } from '../options/render.js';
import type { Format } from './formats.js';

export type Renderer = (profile: Profile) => Iterable<string>;
/** How pictures and folded stacks look. */
export type Looks = Pick<RenderOptions, 'annotate' | 'by' | 'minNs' | 'title' | 'width' | 'icicle' | 'minPx'>;

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
      const { renderHtml } = await import('../../src/page.js');
      return (profile) => renderHtml(profile, { icicle, ...named });
    }
    case 'svg': {
      const size = { ...(width !== undefined && { widthPx: width }), ...(minPx !== undefined && { minPx }) };
      return (profile) => renderSvg(profile, { by, icicle, ...named, ...size });
    }
  }
}
