/**
 * Writes stacks as text for the clipboard.
 */
import { withoutEmptyNodes } from '../../../model/calls/call-tree.js';
import type { SymbolTable } from '../../../model/names/symbol-table.js';
import type { NodeId } from '../../../model/units.js';
import { cleanNames, foldedLines, lineTexts } from '../../../render/folded-lines.js';
import { type FrameTable, nameOf, subtreeEnd } from '../../../render/frames/frame-table.js';
import { nameTree } from '../../../render/named-tree.js';

/** Returns the stack from the outermost function to the frame, one name per line. */
export function stackText(table: FrameTable, node: NodeId): string {
  const names: string[] = [];
  for (let at = node; at > 0; at = table.parent[at] as NodeId) names.push(nameOf(table, at));
  return names.reverse().join('\n');
}

/** Returns the folded stacks of a frame and its callees, as `ptflame render` writes them, weighted by the width. */
export function foldedText(table: FrameTable, symbols: SymbolTable, top: NodeId): string {
  const { tree, self } = table;
  const end = subtreeEnd(table, top);
  const selfNs = self.map((own, node) => (node >= top && node < end ? own : 0));
  const together = withoutEmptyNodes({ ...tree, selfNs, calls: new Float64Array(tree.length) });
  return [...lineTexts(foldedLines(nameTree(together, cleanNames(symbols)), symbols.kind, 'ns', { minNs: 1 }))].join(
    '',
  );
}
