/**
 * Defines all colours for the light and the dark theme, once for all pages and pictures. Ink has a contrast of at least 4.5 : 1
 * on whatever has text.
 */
import { SHADES } from './colours.js';

export interface Colour {
  readonly light: string;
  readonly dark: string;
}

/** By name of its CSS variable. */
export const TOKENS = {
  // surfaces
  bg: { light: '#ffffff', dark: '#14161b' },
  chrome: { light: '#f7f8fa', dark: '#1a1d24' },
  hover: { light: '#eef1f5', dark: '#242832' },
  press: { light: '#e4e8ee', dark: '#2d323e' },
  // rules, and borders of controls
  line: { light: '#e4e7ec', dark: '#282d37' },
  line2: { light: '#cdd3dc', dark: '#3b4250' },
  ink: { light: '#1b1f27', dark: '#e9ebf1' },
  ink2: { light: '#4a5160', dark: '#b6bcc9' },
  ink3: { light: '#636b7a', dark: '#949cac' },
  // selection, range, focus, links
  sel: { light: '#2553c9', dark: '#8fb4ff' },
  selbg: { light: '#e8eefc', dark: '#1f2c4a' },
  // matches of a search: outlines and underlines
  hit: { light: '#d21f7a', dark: '#ff6db6' },
  // how far to trust what is shown
  good: { light: '#1c6b3f', dark: '#7fd3a2' },
  warn: { light: '#8a4b00', dark: '#f1bd6d' },
  warnbg: { light: '#fff4e0', dark: '#33270f' },
  bad: { light: '#a3262c', dark: '#ff9a96' },
  // comparison: text; fill
  more: { light: '#b2410f', dark: '#ff9d6c' },
  less: { light: '#1d5fb4', dark: '#82b7ff' },
  'more-fill': { light: '#eda27d', dark: '#8a4320' },
  'less-fill': { light: '#9bbfe8', dark: '#28507f' },
  'same-fill': { light: '#e2e5ea', dark: '#2b303a' },
  // what threads do; running is for bars and strips only, as ink cannot be read on it in the dark
  running: { light: '#eb9e4a', dark: '#c9822f' },
  syscall: { light: '#92b9db', dark: '#355977' },
  'off-cpu': { light: '#d6e1ee', dark: '#2c3542' },
  preempted: { light: '#bba3e8', dark: '#5b4481' },
  untraced: { light: '#c5ccd0', dark: '#39434a' },
  lost: { light: '#f2a7a4', dark: '#7e2f31' },
} as const satisfies Readonly<Record<string, Colour>>;

export type Token = keyof typeof TOKENS;

/** Functions, if colours do not show libraries. */
const FUNCTIONS: readonly Colour[] = [
  { light: '#f3c898', dark: '#6b4a1e' },
  { light: '#f1bf9d', dark: '#70412f' },
  { light: '#f2d3a2', dark: '#5f5123' },
  { light: '#edcfb0', dark: '#5d4428' },
];

/** By class of the library: of the first six, of the others, and of functions whose file is not recorded. None is blue. */
export const LIBRARIES: Readonly<Record<string, Colour>> = {
  l1: { light: '#f3bb86', dark: '#7a5018' },
  l2: { light: '#aedcb8', dark: '#1f4d36' },
  l3: { light: '#d09acb', dark: '#6b3765' },
  l4: { light: '#efe290', dark: '#443d00' },
  l5: { light: '#e3937f', dark: '#3a2623' },
  l6: { light: '#7ea7a8', dark: '#476b68' },
  lo: { light: '#d6d4ce', dark: '#3c3a37' },
  ln: { light: '#f0d9bd', dark: '#4d4030' },
};

/** How much lighter or darker a frame may be than its colour, so that neighbours differ. */
const MAX_SHADE = 0.035;

function shaded(name: string, colour: Colour): [string, Colour][] {
  return Array.from({ length: SHADES }, (_, shade) => {
    const factor = 1 + MAX_SHADE * ((2 * shade) / (SHADES - 1) - 1);
    const scaled = (hex: string) => hexOf(channelsOf(hex).map((channel) => Math.min(255, channel * factor)));
    return [`${name}${shade}`, { light: scaled(colour.light), dark: scaled(colour.dark) }];
  });
}

function channelsOf(hex: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
}

function hexOf(channels: readonly number[]): string {
  return `#${channels.map((channel) => Math.round(channel).toString(16).padStart(2, '0')).join('')}`;
}

/** By class of the frame. */
export const FRAME_COLOURS: Readonly<Record<string, Colour>> = {
  ...Object.fromEntries(Object.entries(LIBRARIES).flatMap(([name, colour]) => shaded(name, colour))),
  ...Object.fromEntries(FUNCTIONS.flatMap((colour, at) => shaded(`f${at}`, colour))),
  entry: { light: '#c3cf9c', dark: '#46512a' },
  group: TOKENS.press,
  block: TOKENS.hover,
};

/** Sequential scale from pale to strong, distinguishable by lightness alone: `s0` to `s7`. */
const SCALE: readonly Colour[] = [
  { light: '#fdf6d8', dark: '#26304a' },
  { light: '#f9e6a8', dark: '#2b3f5e' },
  { light: '#f6d183', dark: '#2d5068' },
  { light: '#f3b96b', dark: '#2c6169' },
  { light: '#ef9f60', dark: '#3a6b5b' },
  { light: '#e8875c', dark: '#5a6d42' },
  { light: '#df7560', dark: '#7a672c' },
  { light: '#d4686c', dark: '#96591f' },
];

export const SCALE_COLOURS: Readonly<Record<string, Colour>> = Object.fromEntries(
  SCALE.map((colour, step) => [`s${step}`, colour]),
);

/** By class of the frame: how much it differs. */
export const CHANGE_COLOURS: Readonly<Record<string, Colour>> = {
  same: TOKENS['same-fill'],
  noise: mixed(TOKENS['same-fill'], TOKENS.line2, 0.5),
  more1: mixed(TOKENS['same-fill'], TOKENS['more-fill'], 0.45),
  more2: mixed(TOKENS['same-fill'], TOKENS['more-fill'], 0.72),
  more3: TOKENS['more-fill'],
  new: TOKENS['more-fill'],
  less1: mixed(TOKENS['same-fill'], TOKENS['less-fill'], 0.45),
  less2: mixed(TOKENS['same-fill'], TOKENS['less-fill'], 0.72),
  less3: TOKENS['less-fill'],
  gone: TOKENS['less-fill'],
};

/** `part`: of the other colour. */
function mixed(colour: Colour, other: Colour, part: number): Colour {
  const mix = (scheme: keyof Colour) => {
    const others = channelsOf(other[scheme]);
    return hexOf(channelsOf(colour[scheme]).map((own, at) => own + part * ((others[at] as number) - own)));
  };
  return { light: mix('light'), dark: mix('dark') };
}

/** Colours by name of their CSS variable, for the browser: the class of a frame is the name of its colour. */
export const VARIABLES: Readonly<Record<string, Colour>> = {
  ...TOKENS,
  ...FRAME_COLOURS,
  ...SCALE_COLOURS,
  ...CHANGE_COLOURS,
};
