/**
 * What is looked at ↔ the hash of the address, so that a link and a reload show the same.
 */
import { ROOT } from '../../../model/calls/call-tree.js';
import type { NodeId } from '../../../model/units.js';
import type { FrameTable } from '../../frames/frame-table.js';

export interface State {
  /** The run of siblings that fills the width; mostly one frame. */
  readonly first: NodeId;
  readonly last: NodeId;
  readonly search: string;
}

/** "#zoom=12-15&search=mem": what makes no sense is as if it were not there. */
export function parseHash(hash: string, table: FrameTable): State {
  const words = new URLSearchParams(hash.replace(/^#/, ''));
  const search = words.get('search') ?? '';
  const [, from = '', to = from] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(words.get('zoom') ?? '') ?? [];
  const first = Number(from);
  const last = Number(to);
  const isRun = first <= last && last < table.tree.length && table.parent[first] === table.parent[last];
  return isRun ? { first, last, search } : { first: ROOT, last: ROOT, search };
}

export function formatHash({ first, last, search }: State): string {
  const words = new URLSearchParams();
  if (first !== ROOT) words.set('zoom', first === last ? `${first}` : `${first}-${last}`);
  if (search !== '') words.set('search', search);
  return `#${words}`;
}
