/**
 * Converts the state of the viewer to and from the URL hash, so that links and reloads show the same view.
 */
import { ROOT } from '../../../model/calls/call-tree.js';
import type { NodeId } from '../../../model/units.js';
import type { FrameTable } from '../../frames/frame-table.js';

export interface State {
  /** The siblings that fill the width, usually one frame. */
  readonly first: NodeId;
  readonly last: NodeId;
  readonly search: string;
}

/** Parses "#zoom=12-15&search=mem"; ignores invalid parts. */
export function parseHash(hash: string, table: FrameTable): State {
  const params = new URLSearchParams(hash.replace(/^#/, ''));
  const search = params.get('search') ?? '';
  const [, from = '', to = from] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(params.get('zoom') ?? '') ?? [];
  const first = Number(from);
  const last = Number(to);
  const isValid = first <= last && last < table.tree.length && table.parent[first] === table.parent[last];
  return isValid ? { first, last, search } : { first: ROOT, last: ROOT, search };
}

export function formatHash({ first, last, search }: State): string {
  const params = new URLSearchParams();
  if (first !== ROOT) params.set('zoom', first === last ? `${first}` : `${first}-${last}`);
  if (search !== '') params.set('search', search);
  return `#${params}`;
}
