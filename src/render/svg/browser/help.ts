/**
 * Lists the keys.
 */
import type { FrameDetails } from '../../frames/frame-details.js';

export const HELP: FrameDetails = {
  title: 'Keys',
  rows: [
    ['↑ ↓ ← →', 'move between frames'],
    ['Enter', 'zoom to the frame'],
    ['Esc', 'clear search or zoom back'],
    ['/', 'search: text or /regex/'],
    ['r', 'show all frames'],
    ['?', 'show keys'],
  ].map(([label = '', note = '']) => ({ label, value: '', note })),
};
