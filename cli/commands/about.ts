/**
 * The commands that tell of ptflame itself: loaded together, for they are made of the same description.
 */
export { completion } from './completion.js';
export { help } from './help.js';
export { version } from './version.js';
