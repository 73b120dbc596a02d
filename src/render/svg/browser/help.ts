/**
 * The list of keys.
 */
import type { Facts } from '../../frames/facts.js';

export const HELP: Facts = {
  title: 'Keys',
  rows: [
    ['↑ ↓ ← →', 'to the next frame'],
    ['Enter', 'zoom in on it, or out to it'],
    ['Esc', 'clear the search; zoom back'],
    ['/', 'search: text, or a regular expression between slashes'],
    ['r', 'zoom out to all'],
    ['?', 'show or hide this'],
  ].map(([what = '', more = '']) => ({ what, value: '', more })),
};
