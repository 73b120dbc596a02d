/**
 * Stacks as text, to be pasted elsewhere.
 */
import type { NodeId } from '../../../model/units.js';
import { type FrameTable, nameOf } from '../../frames/frame-table.js';

/** From the thread's first function down to the frame, one on a line. */
export function stackText(table: FrameTable, node: NodeId): string {
  return namesTo(table, node).join('\n');
}

/** Folded lines of a frame and all below it: `main;work;read 1200`. ';' parts frames, so it stands in none of them. */
export function foldedText(table: FrameTable, top: NodeId): string {
  const lines: string[] = [];
  const paths = new Map<NodeId, string>([[top, namesTo(table, top).map(safe).join(';')]]);
  for (let node = top; node < table.tree.length; node++) {
    const parent = paths.get(table.parent[node] as NodeId);
    if (node !== top && parent === undefined) break; // a subtree is one run
    const path =
      node === top ? (paths.get(top) as string) : [parent, safe(nameOf(table, node))].filter(Boolean).join(';');
    paths.set(node, path);
    if ((table.self[node] as number) > 0 && path !== '') lines.push(`${path} ${table.self[node]}`);
  }
  return lines.map((line) => `${line}\n`).join('');
}

function namesTo(table: FrameTable, node: NodeId): string[] {
  const names: string[] = [];
  for (let at = node; at > 0; at = table.parent[at] as NodeId) names.push(nameOf(table, at));
  return names.reverse();
}

function safe(name: string): string {
  return name.replaceAll(';', ':');
}
