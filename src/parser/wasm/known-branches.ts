/**
 * Where the host finds what all modules know of branches.
 */
import { origins as originEnds, pairs, targets as targetEnds } from './branches';
import { files, symbols } from './usual-branch';

export function pairsStart(): usize {
  return pairs.start;
}

export function pairsBytes(): usize {
  return pairs.used;
}

export function originsStart(): usize {
  return originEnds.start;
}

export function originsBytes(): usize {
  return originEnds.used;
}

export function targetsStart(): usize {
  return targetEnds.start;
}

export function targetsBytes(): usize {
  return targetEnds.used;
}

/** Address and length of each symbol's name. */
export function symbolsStart(): usize {
  return symbols.start;
}

/** Likewise for files. */
export function filesStart(): usize {
  return files.start;
}
