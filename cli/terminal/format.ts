/**
 * Numbers as people read them: the library's, so that terminal and pictures agree.
 */
export { formatBytes, formatCount, formatDuration, formatMany, formatShare } from '../../src/index.js';
