/**
 * All colours, for light and dark surroundings. Ink on each of them has a contrast of 4.5 : 1 or more; what is no
 * function differs from the others in lightness too, for eyes that see no red or green.
 */
import type { Family } from './families.js';

export interface Colour {
  readonly light: string;
  readonly dark: string;
}

/** From coral to straw. */
export const USER: readonly Colour[] = [
  { light: '#f6a07e', dark: '#8a4226' },
  { light: '#f8ad80', dark: '#8d4a20' },
  { light: '#f5b083', dark: '#80491f' },
  { light: '#fab87c', dark: '#8b5219' },
  { light: '#f7be8c', dark: '#7d4e24' },
  { light: '#fbc377', dark: '#855815' },
  { light: '#f9cb88', dark: '#775324' },
  { light: '#fccf74', dark: '#7a5b12' },
  { light: '#f8d58c', dark: '#6d5422' },
  { light: '#f9a98f', dark: '#83402f' },
  { light: '#f3b795', dark: '#744630' },
  { light: '#fadb8b', dark: '#6e5c1b' },
];

export const KERNEL: readonly Colour[] = [
  { light: '#b5d68c', dark: '#47631f' },
  { light: '#c1dc92', dark: '#506a20' },
  { light: '#a9d09a', dark: '#3b6230' },
  { light: '#cbe0a0', dark: '#586a2b' },
];

export const OTHERS: Readonly<Record<Exclude<Family, 'user' | 'kernel'> | 'block' | 'match', Colour>> = {
  group: { light: '#d3d9e3', dark: '#434b59' },
  unknown: { light: '#e0d6bd', dark: '#6f6850' },
  syscall: { light: '#a5d8f6', dark: '#1f739c' },
  'off-cpu': { light: '#5c96dc', dark: '#17336a' },
  preempted: { light: '#c6a8ea', dark: '#6c3f96' },
  untraced: { light: '#74c4aa', dark: '#12443b' },
  lost: { light: '#8b929d', dark: '#4f535b' },
  block: { light: '#e6e8ec', dark: '#33383f' },
  match: { light: '#f07be8', dark: '#b01fb4' },
};

/** From pale to strong, of one hue after the other: lightness alone tells them apart. Ink on each has a contrast of 4.5 : 1. */
export const SCALE: readonly Colour[] = [
  { light: '#fdf6d8', dark: '#26304a' },
  { light: '#f9e6a8', dark: '#2b3f5e' },
  { light: '#f6d183', dark: '#2d5068' },
  { light: '#f3b96b', dark: '#2c6169' },
  { light: '#ef9f60', dark: '#3a6b5b' },
  { light: '#e8875c', dark: '#5a6d42' },
  { light: '#df7560', dark: '#7d6a2e' },
  { light: '#d4686c', dark: '#96591f' },
];

export const PAGE: Colour = { light: '#ffffff', dark: '#16181d' };
export const INK: Colour = { light: '#1c1f25', dark: '#f3f0ea' };
export const QUIET_INK: Colour = { light: '#5b6270', dark: '#a3abb8' };
export const LINE: Colour = { light: '#d5d9e0', dark: '#3d434d' };
export const PANEL: Colour = { light: '#ffffff', dark: '#23272e' };
export const WARNING: Colour = { light: '#8a4b00', dark: '#ffb84d' };
export const WARNING_PAGE: Colour = { light: '#fff3dc', dark: '#3a2c12' };
export const FOCUS: Colour = { light: '#1d4ed8', dark: '#9cc3ff' };
