/**
 * The commands that answer questions: loaded together, for they share most of what they are made of.
 */
export { diff } from './diff.js';
export { latency } from './latency.js';
export { report } from './report.js';
export { stacks } from './stacks.js';
