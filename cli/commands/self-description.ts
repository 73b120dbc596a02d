/**
 * The commands that describe ptflame itself: loaded as one module, as they share most of their imports.
 */
export { completion } from './self-description/completion.js';
export { help } from './self-description/help.js';
export { version } from './self-description/version.js';
