/**
 * What the module exports.
 */

export { addText, addTextBranch, branchesBytes, branchesStart, reserveScratch, textsStart } from './branches';
export {
  addFlagWords,
  addLine,
  begin,
  cacheBranch,
  cacheHead,
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
  addLane,
  clearHeadRows,
  eventsBytes,
  eventsStart,
  group,
  highestNs,
  lowestNs,
  runsBytes,
  runsStart,
} from './runs';
export { filesStart, symbolsStart } from './usual-branch';
