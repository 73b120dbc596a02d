/**
 * Defines how frames differ between two graphs: kinds, signs, sizes and colours.
 */
import type { Colour } from './colours.js';

/** `new` is only in the second graph, `gone` only in the first. */
export const CHANGES = ['same', 'noise', 'more', 'less', 'new', 'gone'] as const;
export type Change = (typeof CHANGES)[number];

export const CHANGE_SIGNS: Readonly<Record<Change, string>> = {
  same: '=',
  noise: '≈',
  more: '▲',
  less: '▼',
  new: '✚',
  gone: '✕',
};

/** By class. Ink has a contrast of at least 4.5 : 1 on each of them. */
export const CHANGE_COLOURS: Readonly<Record<string, Colour>> = {
  same: { light: '#e3e6eb', dark: '#3a3f47' },
  noise: { light: '#d3d7dd', dark: '#4a5059' },
  more1: { light: '#f9d3c2', dark: '#5c3a2c' },
  more2: { light: '#f3ab8a', dark: '#7d4529' },
  more3: { light: '#ec7f52', dark: '#a14c1c' },
  new: { light: '#ec7f52', dark: '#a14c1c' },
  less1: { light: '#cfdff8', dark: '#2c3f5e' },
  less2: { light: '#9fc0f2', dark: '#2d548c' },
  less3: { light: '#6d9fee', dark: '#2f67b8' },
  gone: { light: '#6d9fee', dark: '#2f67b8' },
};

/** Relative sizes of a change: the larger number is at most this many times the smaller one. */
const FACTORS = [1.1, 2] as const;

/** Returns 1, 2 or 3: how large a change is. */
export function changeLevel(before: number, after: number): number {
  const factor = Math.max(before, after) / Math.min(before, after);
  return 1 + FACTORS.filter((limit) => factor > limit).length;
}
