/**
 * The callers of the zoomed frame, each of which zooms out to itself.
 */
import type { SymbolId } from '../../../model/units.js';
import { htmlElement as html } from '../../../render/viewer/dom.js';
import { NO_ZOOM, type State } from '../../view/state.js';

/** Of a longer path, the first frames are left out. */
const MAX_SHOWN = 8;

export class Crumbs {
  readonly element = html('nav', { class: 'crumbs', 'aria-label': 'Zoom', hidden: '' });

  constructor(private readonly change: (change: Partial<State>) => void) {}

  /** `names`: of functions. */
  show({ zoom, zoomLast }: State, names: readonly string[]): void {
    this.element.hidden = zoom.length === 0;
    if (zoom.length === 0) return this.element.replaceChildren();
    const from = Math.max(0, zoom.length - MAX_SHOWN);
    const callers = zoom.slice(from, -1).map((symbol, at) => this.crumb(names[symbol] as string, from + at + 1, zoom));
    const last = `${names[zoom.at(-1) as SymbolId]}${zoomLast === null ? '' : ' …'}`;
    const parts = [
      this.crumb('All', 0, zoom),
      ...(from > 0 ? [html('span', {}, `${from} callers`)] : []),
      ...callers,
      html('span', { 'aria-current': 'true' }, html('bdi', {}, last)),
    ];
    this.element.replaceChildren(
      ...parts.flatMap((part, at) => (at === 0 ? [part] : [html('span', { 'aria-hidden': 'true' }, '›'), part])),
    );
  }

  /** Zooms to the first `depth` frames of the path. */
  private crumb(name: string, depth: number, zoom: readonly SymbolId[]): HTMLElement {
    const click = () => this.change({ ...NO_ZOOM, zoom: zoom.slice(0, depth) });
    return html('button', { type: 'button', click }, html('bdi', {}, name));
  }
}
