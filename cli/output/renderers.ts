/**
 * Loads the renderer of a format.
 */
import { type Profile, renderFolded, renderJson, renderSvg } from '../../src/index.js';
import type { RenderOptions } from '../options/render.js';
import type { Format } from './formats.js';

export type Renderer = (profile: Profile) => Iterable<string>;
/** The options of `render` that renderers use. */
export type RendererOptions = Pick<RenderOptions, 'annotate' | 'by' | 'minNs' | 'title' | 'width' | 'icicle' | 'minPx'>;

export async function loadRenderer(format: Format, options: RendererOptions): Promise<Renderer> {
  const { annotate, by, minNs, title, width, icicle, minPx } = options;
  const titled = { ...(title !== undefined && { title }) };
  switch (format) {
    case 'json':
      return renderJson;
    case 'folded':
      return (profile) => renderFolded(profile, { annotate, by, minNs });
    case 'html': {
      const { renderHtml } = await import('../../src/page.js');
      return (profile) => renderHtml(profile, { icicle, ...titled });
    }
    case 'svg': {
      const size = { ...(width !== undefined && { widthPx: width }), ...(minPx !== undefined && { minPx }) };
      return (profile) => renderSvg(profile, { by, icicle, ...titled, ...size });
    }
  }
}
