/**
 * What the module exports.
 */
export { execute } from './execute';
export { pair } from './pair';
