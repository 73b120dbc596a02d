/**
 * Constants of the profile format, for writer, reader and schema; docs/profile-format.md describes it.
 */
import { NODE_COLUMNS } from '../model/calls/call-tree.js';
import { DOUBT_NAMES } from '../model/calls/doubts.js';
import type { SymbolKind } from '../model/symbol-table.js';

export const FORMAT = 'ptflame-profile';
export const VERSION = 2;

/** In the order of the file; each has one value per node. */
export const TREE_COLUMNS = ['parent', 'symbol', ...NODE_COLUMNS] as const;
export type TreeColumn = (typeof TREE_COLUMNS)[number];

/** By `SymbolKind`. */
export const KIND_NAMES = ['function', 'unknown', 'synthetic', 'inlined'] as const;
export type KindName = (typeof KIND_NAMES)[SymbolKind];

/** All keys of a quality and of the objects in it, in the order of the file. */
export const QUALITY_KEYS: readonly string[] = [
  'lines events gapLines ignoredLines sampleLines otherSamples event samples damagedLines firstDamaged brokenInputs input line text reason',
  'tid atNs lengthNs cause code message file losses gaps lostNs threadsCut inferredNs hiddenNs unknownNs totalNs',
  'inferredCalls OpenAtStart OpenAtEnd CutByGap Unwound HiddenJump inferredEvents clockSteps codeNs mendedHits leftOutCalls',
  'unknownFlags unknownFlagLines remedy remedies hiddenJumps switches inferredBy',
  ...DOUBT_NAMES,
].flatMap((keys) => keys.split(' '));
