/**
 * Pairs calls and returns as long as nothing else happens. It stops before an event that the general rules decide.
 */
import {
  CALL_ADDRESS,
  CALL_BYTES,
  CALL_KIND,
  CALL_ROW,
  HEAD_ACTIONS,
  HEAD_DEPTH,
  HEAD_LINKS,
  HEAD_LOWEST,
  HEAD_PAGE_BITS,
  HEAD_SITES,
  HEAD_STACK,
  HEAD_STACK_LIMIT,
  HEAD_STOP,
  HEAD_WINDOW_ROW,
  HEAD_WINDOW_SITES,
  SITE_BITS,
  SITE_FROM,
  SITE_PAIR,
  SITE_TO,
  STOP_DONE,
  STOP_FULL,
  STOP_GENERAL,
} from './layout';
import {
  ACTION_CALL,
  ACTION_JUMP,
  ACTION_RESUME,
  ACTION_RETURN,
  ACTION_STOP,
  ACTION_SYSCALL,
  KIND_CALL,
  MAX_CALL_BYTES,
  STEP_CALL,
  STEP_END,
  STEP_END_SYSCALL,
  STEP_JUMP,
  STEP_RETURN,
  STEP_START,
  STEP_STAY,
  SYSCALL_BYTES,
} from './rules';
import { setLinkAnywhere } from './thread';

/** Pairs the rows from `first` to `end`, which are in the window; returns the row before which it stopped. */
export function pair(first: u32, end: u32): u32 {
  const sites: usize = load<u32>(HEAD_SITES);
  const actions: usize = load<u32>(HEAD_ACTIONS);
  const links: usize = load<u32>(HEAD_LINKS);
  const calls: usize = load<u32>(HEAD_STACK);
  const bits = load<u32>(HEAD_PAGE_BITS);
  const lowest = calls + <usize>load<u32>(HEAD_LOWEST) * CALL_BYTES;
  const limit = calls + <usize>load<u32>(HEAD_STACK_LIMIT) * CALL_BYTES;
  let top = calls + <usize>load<u32>(HEAD_DEPTH) * CALL_BYTES;
  let at: usize = load<u32>(HEAD_WINDOW_SITES) + ((first - load<u32>(HEAD_WINDOW_ROW)) << 2);
  /** The first row of the page. */
  const pageRow = (first >> bits) << bits;
  let stop = STOP_DONE;
  let row = first;
  for (; row < end; row++, at += 4) {
    const site = sites + ((<usize>load<u32>(at)) << SITE_BITS);
    const kind = load<u8>(site, SITE_PAIR);
    if (kind === STEP_CALL) {
      if (top === limit) {
        stop = STOP_FULL;
        break;
      }
      store<f64>(top, load<f64>(site, SITE_FROM), CALL_ADDRESS);
      store<u32>(top, row, CALL_ROW);
      store<u32>(top, KIND_CALL, CALL_KIND);
      top += CALL_BYTES;
      store<u8>(actions + row, ACTION_CALL);
    } else if (kind === STEP_RETURN) {
      const distance = top === lowest ? 0 : load<f64>(site, SITE_TO) - load<f64>(top - CALL_BYTES, CALL_ADDRESS);
      if (!(distance > 0 && distance <= MAX_CALL_BYTES)) {
        stop = STOP_GENERAL;
        break;
      }
      const callRow = load<u32>(top - CALL_BYTES, CALL_ROW);
      if (callRow >= pageRow) store<u32>(links + ((<usize>callRow) << 2), row);
      else if (!setLinkAnywhere(callRow, row)) {
        stop = STOP_GENERAL;
        break;
      }
      top -= CALL_BYTES;
      store<u8>(actions + row, ACTION_RETURN);
      store<u32>(links + ((<usize>row) << 2), callRow);
    } else if (kind === STEP_JUMP) store<u8>(actions + row, ACTION_JUMP);
    else if (
      (kind === STEP_END_SYSCALL || kind === STEP_END) &&
      row > first &&
      row + 1 < end &&
      resumes(site, sites, at)
    ) {
      store<u8>(actions + row, kind === STEP_END ? ACTION_STOP : ACTION_SYSCALL);
      row++;
      at += 4;
      store<u8>(actions + row, ACTION_RESUME);
    } else if (kind !== STEP_STAY) {
      stop = STOP_GENERAL;
      break;
    }
  }
  store<u32>(HEAD_DEPTH, <u32>((top - calls) / CALL_BYTES));
  store<u32>(HEAD_STOP, stop);
  return row;
}

/** True if the next event starts the trace where this one, at `at`, stopped it: at a system call, or otherwise. */
function resumes(site: usize, sites: usize, at: usize): bool {
  const next = sites + ((<usize>load<u32>(at, 4)) << SITE_BITS);
  const from = load<f64>(site, SITE_FROM);
  const to = load<f64>(next, SITE_TO);
  return load<u8>(next, SITE_PAIR) === STEP_START && from <= to && to <= from + SYSCALL_BYTES;
}
