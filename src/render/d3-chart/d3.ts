/**
 * What d3-flame-graph gets in place of the packages of d3 (docs/decisions/0012). The bundle exchanges them where that library imports
 * them and nowhere else: whatever else may import d3 gets d3.
 */
export { hierarchy, partition } from './hierarchy.js';
export { scaleLinear } from './scale.js';
export { select } from './selection.js';

function unused(): never {
  throw new Error('the page does that itself');
}

export { unused as ascending, unused as easeCubic, unused as format };
