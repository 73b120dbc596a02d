/**
 * The commands that analyze traces: loaded as one module, as they share most of their imports.
 */
export { diff } from './diff.js';
export { latency } from './latency.js';
export { report } from './report.js';
export { stacks } from './stacks.js';
