/**
 * What the module exports.
 */

export { addOrigin, addTarget, addText, reserveScratch, textsStart } from './branches';
export {
  filesStart,
  originsBytes,
  originsStart,
  pairsBytes,
  pairsStart,
  symbolsStart,
  targetsBytes,
  targetsStart,
} from './known-branches';
export {
  addFlagWords,
  addLine,
  begin,
  branch,
  cacheHead,
  cacheOrigin,
  cacheTarget,
  clearHeads,
  lineHead,
  lineNs,
  lineStart,
  linesBytes,
  linesStart,
  read,
  reserveText,
  restStart,
} from './lines';
export {
  addHead,
  clearHeadRows,
  eventsBytes,
  eventsStart,
  group,
  highestNs,
  lowestNs,
  runsBytes,
  runsStart,
} from './runs';
