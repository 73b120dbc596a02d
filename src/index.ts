/**
 * The public library: reads and analyzes traces, and renders profiles. Importing it has no side effects.
 * docs/library.md documents every name; everything else is internal.
 */
export * from './profiles.js';
export * from './waits.js';
