/**
 * Where functions begin and end, as far as the host knows.
 */
import { functionAround } from '../host';
import { allocate } from '../memory';

/** The function that was asked for last; one that is unknown holds no address. */
let start: u64 = 1;
let end: u64 = 0;
let image: u32 = 0;

const BOUNDS_BYTES: usize = 16;

function enter(image_: u32, ip: u64): void {
  if (image_ === image && ip >= start && ip < end) return;
  const found = functionAround(image_, ip);
  image = image_;
  start = found === 0 ? 1 : load<u64>(found);
  end = found === 0 ? 0 : load<u64>(found, 8);
}

/** Whether an address is in the function of another one. */
export function isInFunctionOf(image: u32, from: u64, to: u64): bool {
  enter(image, from);
  return to >= start && to < end;
}

/** Returns where the bounds of the function are that holds an address. */
export function boundsAround(image: u32, ip: u64): usize {
  enter(image, ip);
  const bounds = allocate(BOUNDS_BYTES);
  store<u64>(bounds, start);
  store<u64>(bounds, end, 8);
  return bounds;
}

/** Whether an address is within bounds. */
export function holds(bounds: usize, ip: u64): bool {
  return ip >= load<u64>(bounds) && ip < load<u64>(bounds, 8);
}
