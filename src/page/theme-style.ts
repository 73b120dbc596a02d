/**
 * Writes the colours of the page as CSS variables, for the light and the dark theme.
 */
import { CHANGE_COLOURS } from '../render/frames/changes.js';
import {
  type Colour,
  FOCUS,
  INK,
  KERNEL,
  LINE,
  OTHERS,
  PAGE,
  PANEL,
  QUIET_INK,
  SCALE,
  USER,
  WARNING,
  WARNING_PAGE,
} from '../render/frames/colours.js';

export function themeStyle(): string {
  const variables: (readonly [string, Colour])[] = [
    ['page', PAGE],
    ['ink', INK],
    ['quiet', QUIET_INK],
    ['line', LINE],
    ['panel', PANEL],
    ['warning', WARNING],
    ['warning-page', WARNING_PAGE],
    ['focus', FOCUS],
    ...USER.map((colour, shade) => [`u${shade}`, colour] as const),
    ...KERNEL.map((colour, shade) => [`k${shade}`, colour] as const),
    ...SCALE.map((colour, step) => [`s${step}`, colour] as const),
    ...Object.entries(OTHERS),
    ...Object.entries(CHANGE_COLOURS),
  ];
  const lines = variables.map(([name, { light, dark }]) => `--${name}:light-dark(${light},${dark})`);
  return `:root{color-scheme:light dark;${lines.join(';')}}`;
}
