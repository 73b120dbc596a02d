/**
 * Replaces the d3 packages that d3-flame-graph imports (docs/decisions/0012). The bundler substitutes this file only for imports from
 * that library; any other import of d3 gets the real package.
 */
export { hierarchy, partition } from './hierarchy.js';
export { scaleLinear } from './scale.js';
export { select } from './selection.js';

function unused(): never {
  throw new Error('not used by the page');
}

export { unused as ascending, unused as easeCubic, unused as format };
