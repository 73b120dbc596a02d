/**
 * The commands that describe ptflame itself: loaded as one module, as they share most of their imports.
 */
export { completion } from './completion.js';
export { help } from './help.js';
export { version } from './version.js';
