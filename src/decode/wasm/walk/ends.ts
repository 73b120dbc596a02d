/**
 * TIP.PGD: where tracing ends. Each function returns 0, or one of perf's errors.
 */
import { Block } from '../blocks';
import { eventTime } from '../clock/clock';
import { emit, image, siteOf } from '../events';
import { endsTrace } from '../host';
import {
  EDGE_END,
  ERROR_MISMATCH,
  ERROR_NEVER_ENDING,
  ERROR_NO_CODE,
  KIND_CALL,
  KIND_JCC,
  KIND_JUMP,
  KIND_NO_CODE,
} from '../layout';
import { state } from '../state';
import { fail, passDirect, Stretch } from './direct';
import { here, moveTo, stay } from './position';
import { pushCall } from './returns';
import { branch, walkToIndirect } from './targets';

let isFiltered: bool = false;

/** The recording has filters of addresses: direct branches may end the trace, too. */
export function setFiltered(filtered: bool): void {
  isFiltered = filtered;
}

/** Tracing ends with the next branch that leaves what is traced. `ip`: its target, 0 if unknown. */
export function walkToEnd(ip: u64): u32 {
  if (isFiltered) {
    const edge = walkToEdge();
    if (changetype<usize>(edge) === 0) return edgeError;
    if (edge.kind <= KIND_JCC) return endAtDirect(edge);
  }
  const error = walkToIndirect();
  if (error !== 0) return error;
  end(branch.from, ip, branch.kind);
  moveTo(ip === 0 ? branch.from : ip);
  return 0;
}

let edgeError: u32 = 0;

/** Goes to the first branch that leaves the filtered code or needs an address; null: `edgeError`. */
function walkToEdge(): Block {
  let block = here();
  Stretch.begin();
  for (;;) {
    const kind = block.kind;
    if (kind === KIND_JCC || kind === KIND_JUMP || kind === KIND_CALL) {
      if (endsTrace(block.image, block.target)) return block;
    }
    if (kind === KIND_JCC) return missEdge(block, block.from, ERROR_MISMATCH);
    if (kind === KIND_NO_CODE) return missEdge(block, block.from, ERROR_NO_CODE);
    if (kind > KIND_JUMP) break;
    if (Stretch.isNeverEnding(block)) return missEdge(block, block.target, ERROR_NEVER_ENDING);
    block = passDirect(block);
  }
  stay(block);
  return block;
}

function missEdge(block: Block, ip: u64, error: u32): Block {
  edgeError = fail(block, ip, error);
  return changetype<Block>(<usize>0);
}

/** As perf does: a conditional jump has its target as both of its addresses. */
function endAtDirect(block: Block): u32 {
  state.instructions += block.count;
  if (block.kind === KIND_CALL) pushCall(block);
  end(block.kind === KIND_JCC ? block.target : block.from, block.target, block.kind);
  moveTo(block.target);
  return 0;
}

function end(from: u64, to: u64, kind: i32): void {
  state.sampleTime = state.time;
  emit(siteOf(from, to, image, kind, EDGE_END), eventTime());
}
