/**
 * Writes a profile file piece by piece, as it may be too large for one string. The same trace gives the same bytes.
 */
import { type CallTree, selectNodes } from '../model/calls/call-tree.js';
import type { NodeDoubts } from '../model/calls/doubts.js';
import type { FunctionDurations } from '../model/calls/durations.js';
import { renumberedResumptions } from '../model/calls/resumptions.js';
import { nodeOrder } from '../model/calls/tree-view.js';
import { assert } from '../model/errors.js';
import { orderedDurations, type SymbolOrder, symbolOrder } from '../model/profile/file-order.js';
import { type Profile, type ThreadProfile, withRemedies } from '../model/profile/profile.js';
import type { SymbolLines, SymbolTable } from '../model/symbol-table.js';
import { MAX_NUMBER_BYTES, putAscii, putNumber, safeJson } from '../model/text.js';
import { type Nanoseconds, NONE } from '../model/units.js';
import { PTFLAME_VERSION } from '../model/version.js';
import { FORMAT, KIND_NAMES, QUALITY_KEYS, TREE_COLUMNS, VERSION } from './format.js';

const PRODUCER = { name: 'ptflame', version: PTFLAME_VERSION } as const;

/** Yields the text of a profile file; each part and each thread is one line. */
export function* renderJson(profile: Profile): Generator<string> {
  assert(profile.together === null, 'a profile of threads whose trees are one');
  const order = symbolOrder(profile);
  yield `{"format":"${FORMAT}","version":${VERSION},\n`;
  yield `"producer":${JSON.stringify(PRODUCER)},\n`;
  yield `"meta":${safeJson(metaText(profile))},\n`;
  const numbers = new NumberTexts();
  yield* symbolPieces(order.table, numbers);
  yield `,\n"quality":${safeJson(qualityText(profile))},\n"threads":[`;
  let separator = '\n';
  for (const thread of profile.threads) {
    yield separator;
    yield* threadPieces(thread, profile.meta.startNs, order, numbers);
    separator = ',\n';
  }
  yield '\n]}\n';
}

/** Time 0 of a file is the start of its recording, so that the file does not depend on which line was read first. */
function metaText({ meta }: Profile): string {
  const { firstNs, scope, weight, isBlockedTime, hasSwitches, showsJumps, part, recorded, merged } = meta;
  const originNs = String(meta.originNs + BigInt(meta.startNs));
  return JSON.stringify({
    originNs,
    startNs: 0,
    endNs: meta.endNs - meta.startNs,
    ...(firstNs !== undefined && { firstNs: firstNs - meta.startNs }),
    scope,
    weight,
    ...(isBlockedTime && { isBlockedTime }),
    ...(hasSwitches !== null && { hasSwitches }),
    ...(showsJumps && { showsJumps }),
    ...(part !== null && { part }),
    ...(recorded && { recorded }),
    ...(merged && { merged }),
  });
}

function* symbolPieces({ name, kind, dso, dsoName, lines }: SymbolTable, numbers: NumberTexts): Generator<string> {
  yield '"symbols":{"name":[';
  yield* textPieces(name);
  yield '],"kind":[';
  yield* textPieces(kind.map((kind) => KIND_NAMES[kind]));
  yield '],"dso":[';
  yield* numbers.pieces(Int32Array.from(dso));
  yield '],"dsoName":[';
  yield* textPieces(dsoName);
  yield ']';
  if (lines) yield* linePieces(lines, numbers);
  yield '}';
}

function* linePieces({ file, line, fileName }: SymbolLines, numbers: NumberTexts): Generator<string> {
  yield ',"file":[';
  yield* numbers.pieces(Int32Array.from(file));
  yield '],"line":[';
  yield* numbers.pieces(Float64Array.from(line));
  yield '],"fileName":[';
  yield* textPieces(fileName);
  yield ']';
}

function* threadPieces(
  thread: ThreadProfile,
  zeroNs: Nanoseconds,
  order: SymbolOrder,
  numbers: NumberTexts,
): Generator<string> {
  const { tid, pid, comm, hiddenNs } = thread;
  const head = { tid, pid, comm, startNs: thread.startNs - zeroNs, endNs: thread.endNs - zeroNs, hiddenNs };
  yield `${safeJson(JSON.stringify(head)).slice(0, -1)},"tree":{`;
  const tree = inOrder(thread.tree, order);
  let separator = '';
  for (const column of TREE_COLUMNS) {
    yield `${separator}"${column}":[`;
    yield* numbers.pieces(tree[column]);
    yield ']';
    separator = ',';
  }
  if (tree.doubts && tree.inferredNs.some((ns) => ns > 0)) yield* doubtsPieces(tree.doubts, numbers);
  yield '}';
  if (thread.durations) yield* durationsPieces(orderedDurations(thread.durations, order.rankOf), numbers);
  const resumptions = thread.resumptions && renumberedResumptions(thread.resumptions, order.rankOf);
  if (resumptions) yield `,"resumptions":${JSON.stringify(resumptions)}`;
  yield '}';
}

function* doubtsPieces({ node, doubt, ns }: NodeDoubts, numbers: NumberTexts): Generator<string> {
  yield ',"doubts":{"node":[';
  yield* numbers.pieces(node);
  yield '],"doubt":[';
  yield* numbers.pieces(Int32Array.from(doubt));
  yield '],"ns":[';
  yield* numbers.pieces(ns);
  yield ']}';
}

function* durationsPieces({ symbol, bucket, calls }: FunctionDurations, numbers: NumberTexts): Generator<string> {
  yield ',"durations":{"symbol":[';
  yield* numbers.pieces(symbol);
  yield '],"bucket":[';
  yield* numbers.pieces(bucket);
  yield '],"calls":[';
  yield* numbers.pieces(calls);
  yield ']}';
}

/** Returns the tree with nodes and symbols numbered as in the file. */
function inOrder(tree: CallTree, { rankOf }: SymbolOrder): CallTree {
  const ranked = { ...tree, symbol: tree.symbol.map((symbol) => rankOf[symbol] ?? NONE) }; // the root has none
  return selectNodes(ranked, nodeOrder(tree, ranked.symbol));
}

const PIECE_ROWS = 16 * 1024;

function* textPieces(texts: readonly string[]): Generator<string> {
  for (let from = 0; from < texts.length; from += PIECE_ROWS) {
    const rows = texts.slice(from, from + PIECE_ROWS).map((text) => safeJson(JSON.stringify(text)));
    yield (from === 0 ? '' : ',') + rows.join(',');
  }
}

/** Writes the keys in a fixed order, however the objects were built. */
function qualityText({ meta, quality }: Profile): string {
  const gaps = quality.gaps.map((gap) => ({ ...gap, atNs: gap.atNs - meta.startNs }));
  return JSON.stringify({ ...withRemedies(quality, meta), gaps }, [...QUALITY_KEYS]);
}

type Column = Float64Array | Int32Array;

const PIECE_NUMBERS = 4 * 1024;
const COMMA = 0x2c;

/** Writes columns of numbers as text, in pieces. */
class NumberTexts {
  /** A new decoder for each column would take longer than the numbers. */
  private readonly decoder = new TextDecoder();
  private readonly bytes = new Uint8Array(PIECE_NUMBERS * (MAX_NUMBER_BYTES + 1));

  *pieces(values: Column): Generator<string> {
    for (let from = 0; from < values.length; from += PIECE_NUMBERS)
      yield this.decoder.decode(this.bytes.subarray(0, this.put(values, from)));
  }

  /** Writes a piece. A missing value, such as the shortest of no calls, is written as null. */
  private put(values: Column, from: number): number {
    const { bytes } = this;
    const to = Math.min(values.length, from + PIECE_NUMBERS);
    let length = 0;
    for (let row = from; row < to; row++) {
      if (row > 0) bytes[length++] = COMMA;
      const value = values[row];
      length = Number.isFinite(value) ? putNumber(bytes, length, value) : putAscii(bytes, length, 'null');
    }
    return length;
  }
}
