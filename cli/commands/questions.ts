/**
 * The commands that analyze traces: loaded as one module, as they share most of their imports.
 */
export { diff } from './questions/diff.js';
export { latency } from './questions/latency.js';
export { locks } from './questions/locks.js';
export { report } from './questions/report.js';
export { requests } from './questions/requests.js';
export { stacks } from './questions/stacks.js';
export { values } from './questions/values.js';
export { waits } from './questions/waits.js';
