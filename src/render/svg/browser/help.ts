/**
 * The list of keys.
 */
import type { FrameDetails } from '../../frames/frame-details.js';

export const HELP: FrameDetails = {
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
