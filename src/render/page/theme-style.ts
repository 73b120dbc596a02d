/**
 * The colours of the page: those of the picture, for light and dark surroundings.
 */
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
  USER,
  WARNING,
  WARNING_PAGE,
} from '../frames/colours.js';

/** From pale to strong, of one hue after the other: lightness alone tells them apart. Ink on each has a contrast of 4.5 : 1. */
const SCALE: readonly Colour[] = [
  { light: '#fdf6d8', dark: '#26304a' },
  { light: '#f9e6a8', dark: '#2b3f5e' },
  { light: '#f6d183', dark: '#2d5068' },
  { light: '#f3b96b', dark: '#2c6169' },
  { light: '#ef9f60', dark: '#3a6b5b' },
  { light: '#e8875c', dark: '#5a6d42' },
  { light: '#df7560', dark: '#7d6a2e' },
  { light: '#d4686c', dark: '#96591f' },
];

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
  ];
  const lines = variables.map(([name, { light, dark }]) => `--${name}:light-dark(${light},${dark})`);
  return `:root{color-scheme:light dark;${lines.join(';')}}`;
}
