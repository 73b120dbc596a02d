/**
 * Pictures and folded stacks of two profiles, loaded only to write them.
 */
export { type Comparison, compareProfiles } from './render/diff/comparison.js';
export { diffFoldedBytes, renderDiffFolded } from './render/diff/folded.js';
export { renderDiffHtml } from './render/diff/page/html.js';
export { type DiffSvgOptions, renderDiffSvg } from './render/diff/svg.js';
