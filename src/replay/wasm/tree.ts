/**
 * The call tree: the same rows and the same table of children as in model/calls/call-tree.ts.
 */
import {
  HEAD_HIDDEN_NS,
  HEAD_SLOT_MASK,
  HEAD_SLOTS,
  HEAD_TREE,
  HEAD_TREE_LENGTH,
  HEAD_TREE_LIMIT,
  NODE_BITS,
  NODE_CALLS,
  NODE_COMPLETE_NS,
  NODE_INFERRED_NS,
  NODE_LAST_CHILD,
  NODE_MAX_NS,
  NODE_MIN_NS,
  NODE_NEXT_CALLED,
  NODE_PARENT,
  NODE_SELF_NS,
  NODE_SYMBOL,
  NONE,
} from './layout';
import { AFTER_HIDDEN_JUMP, CERTAIN } from './rules';

let rows: usize = 0;
let slots: usize = 0;
let slotMask: u32 = 0;
let length: u32 = 0;
let limit: u32 = 0;

export function beginTree(): void {
  rows = load<u32>(HEAD_TREE);
  slots = load<u32>(HEAD_SLOTS);
  slotMask = load<u32>(HEAD_SLOT_MASK);
  length = load<u32>(HEAD_TREE_LENGTH);
  limit = load<u32>(HEAD_TREE_LIMIT);
}

export function endTree(): void {
  store<u32>(HEAD_TREE_LENGTH, length);
}

export function isTreeFull(): bool {
  return length >= limit;
}

/** Returns the row of a node. */
export function nodeRow(node: u32): usize {
  return rows + ((<usize>node) << NODE_BITS);
}

/** Returns the child of `parent` for this symbol, and adds it if there is none. */
export function childOf(parent: u32, symbol: i32): u32 {
  const row = nodeRow(parent);
  const last = load<i32>(row, NODE_LAST_CHILD);
  if (last === NONE) return findOrAdd(parent, symbol);
  const lastRow = nodeRow(last);
  if (load<i32>(lastRow, NODE_SYMBOL) === symbol) return last;
  const next = load<i32>(lastRow, NODE_NEXT_CALLED);
  const isNext = next !== NONE && load<i32>(nodeRow(next), NODE_SYMBOL) === symbol;
  const node = isNext ? <u32>next : findOrAdd(parent, symbol);
  store<u32>(lastRow, node, NODE_NEXT_CALLED);
  store<u32>(row, node, NODE_LAST_CHILD);
  return node;
}

/** Charges time to a node, as certain as it is. */
export function charge(node: u32, ns: f64, certainty: u32): void {
  const row = nodeRow(node);
  store<f64>(row, load<f64>(row, NODE_SELF_NS) + ns, NODE_SELF_NS);
  if (certainty === CERTAIN) return;
  store<f64>(row, load<f64>(row, NODE_INFERRED_NS) + ns, NODE_INFERRED_NS);
  if (certainty === AFTER_HIDDEN_JUMP) store<f64>(HEAD_HIDDEN_NS, load<f64>(HEAD_HIDDEN_NS) + ns);
}

/** Counts a complete call. */
export function countComplete(node: u32, durationNs: f64): void {
  const row = nodeRow(node);
  store<f64>(row, load<f64>(row, NODE_CALLS) + 1, NODE_CALLS);
  store<f64>(row, load<f64>(row, NODE_COMPLETE_NS) + durationNs, NODE_COMPLETE_NS);
  if (durationNs < load<f64>(row, NODE_MIN_NS)) store<f64>(row, durationNs, NODE_MIN_NS);
  if (durationNs > load<f64>(row, NODE_MAX_NS)) store<f64>(row, durationNs, NODE_MAX_NS);
}

function findOrAdd(parent: u32, symbol: i32): u32 {
  const mixed = (parent ^ (<u32>symbol * 0x85ebca6b)) * 0x9e3779b1;
  let slot = (mixed ^ (mixed >>> 15)) & slotMask;
  for (;;) {
    const found = load<i32>(slots + ((<usize>slot) << 2));
    if (found === NONE) break;
    const row = nodeRow(found);
    if (load<u32>(row, NODE_PARENT) === parent && load<i32>(row, NODE_SYMBOL) === symbol) return found;
    slot = (slot + 1) & slotMask;
  }
  store<u32>(slots + ((<usize>slot) << 2), length);
  return addNode(parent, symbol);
}

function addNode(parent: u32, symbol: i32): u32 {
  const node = length++;
  const row = nodeRow(node);
  store<u32>(row, parent, NODE_PARENT);
  store<i32>(row, symbol, NODE_SYMBOL);
  store<i32>(row, NONE, NODE_LAST_CHILD);
  store<i32>(row, NONE, NODE_NEXT_CALLED);
  store<f64>(row, 0, NODE_CALLS);
  store<f64>(row, 0, NODE_SELF_NS);
  store<f64>(row, 0, NODE_COMPLETE_NS);
  store<f64>(row, Infinity, NODE_MIN_NS);
  store<f64>(row, -Infinity, NODE_MAX_NS);
  store<f64>(row, 0, NODE_INFERRED_NS);
  store<u32>(nodeRow(parent), node, NODE_LAST_CHILD);
  return node;
}
