/**
 * How numbers, and text that other people chose, are shown: one way for terminal and pictures.
 */
export { formatBytes, formatCount, formatDuration, formatMany, formatShare } from './render/format.js';
export { gapCount } from './render/quality-summary.js';
export { visibleText } from './render/visible-text.js';
