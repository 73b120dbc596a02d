/**
 * Converts the state of the page to and from the address, so that links and reloads show the same view.
 */
import { ROOT } from '../../model/calls/call-tree.js';
import type { NodeId } from '../../model/units.js';
import { WIDTHS, type WidthOf } from '../../render/diff/paths/paths.js';
import type { FrameTable } from '../../render/frames/frame-table.js';

export interface PageState {
  readonly widthOf: WidthOf;
  readonly isIcicle: boolean;
  /** The siblings that fill the width, usually one frame. */
  readonly first: NodeId;
  readonly last: NodeId;
  readonly search: string;
  /** A column of the table, with prefix "-" if the smallest comes first. */
  readonly sort: string;
}

export const DEFAULT_SORT = 'totalNs';

/** Ignores invalid parts. `start`: what the address leaves out. */
export function parseState(hash: string, table: Pick<FrameTable, 'parent'>, start: PageState): PageState {
  const params = new URLSearchParams(hash.replace(/^#/, ''));
  const [, from = '', to = from] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(params.get('zoom') ?? '') ?? [];
  const [first, last] = [Number(from), Number(to)];
  const { parent } = table;
  const isZoom = first <= last && last < parent.length && parent[first] === parent[last];
  const widthOf = WIDTHS.find((name) => name === params.get('width')) ?? start.widthOf;
  const icicle = params.get('icicle');
  return {
    widthOf,
    isIcicle: icicle === null ? start.isIcicle : icicle === '1',
    ...(isZoom ? { first, last } : { first: ROOT, last: ROOT }),
    search: params.get('search') ?? '',
    sort: params.get('sort') ?? start.sort,
  };
}

export function formatState({ widthOf, isIcicle, first, last, search, sort }: PageState, start: PageState): string {
  const params = new URLSearchParams();
  if (widthOf !== start.widthOf) params.set('width', widthOf);
  if (isIcicle !== start.isIcicle) params.set('icicle', isIcicle ? '1' : '0');
  if (first !== ROOT) params.set('zoom', first === last ? `${first}` : `${first}-${last}`);
  if (search !== '') params.set('search', search);
  if (sort !== start.sort) params.set('sort', sort);
  return `#${params}`;
}
