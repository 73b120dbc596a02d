/**
 * Defines how changes look: colour, and a texture for each direction, so that they differ in greyscale and to colour-blind people.
 */
import { CHANGE_COLOURS } from '../frames/changes.js';
import { type Colour, INK } from '../frames/colours.js';

/** Rising strokes for more, dots for less, crosses for what is new, rings for what is gone. */
const TEXTURES: Readonly<Record<string, string>> = {
  noise: '<path d="M0 4h3"/>',
  more1: '<path d="M-1 9L9 -1"/>',
  more2: '<path d="M-1 9L9 -1M-1 5L5 -1M3 9L9 3"/>',
  more3: '<path d="M-1 9L9 -1M-1 5L5 -1M3 9L9 3" stroke-width="1.8"/>',
  new: '<path d="M-1 9L9 -1M-1 -1L9 9" stroke-width="1.4"/>',
  less1: '<circle cx="2" cy="2" r=".9"/>',
  less2: '<circle cx="2" cy="2" r="1"/><circle cx="6" cy="6" r="1"/>',
  less3: '<circle cx="2" cy="2" r="1.4"/><circle cx="6" cy="6" r="1.4"/>',
  gone: '<circle class="ring" cx="4" cy="4" r="2.6"/>',
};

/** A class is a pattern: its colour below its texture. */
export function patternMarkup(): string {
  const patterns = Object.keys(CHANGE_COLOURS).map(
    (name) =>
      `<pattern id="fill-${name}" width="8" height="8" patternUnits="userSpaceOnUse"><rect class="flat-${name}" width="8" height="8"/><g class="texture">${TEXTURES[name] ?? ''}</g></pattern>`,
  );
  return `<defs>${patterns.join('')}</defs>`;
}

export function changeStyle(): string {
  const flat = (scheme: keyof Colour) =>
    Object.entries(CHANGE_COLOURS)
      .map(([name, colour]) => `.flat-${name}{fill:${colour[scheme]}}`)
      .join('');
  const texture = (scheme: keyof Colour) => `.texture{stroke:${INK[scheme]};fill:${INK[scheme]}}`;
  const fills = Object.keys(CHANGE_COLOURS).map((name) => `.${name}{fill:url(#fill-${name})}`);
  return [
    ...fills,
    '.texture{stroke-opacity:.22;fill-opacity:.26;stroke-width:1}.texture circle:not(.ring){stroke:none}',
    '.texture .ring{fill:none;stroke-width:1.2}',
    flat('light') + texture('light'),
    `@media screen and (prefers-color-scheme:dark){${flat('dark')}${texture('dark')}}`,
  ].join('\n');
}

export const LEGEND: Readonly<Record<string, string>> = {
  more1: '▲ more, up to 1.1×',
  more2: '▲ more, up to 2×',
  more3: '▲ more than 2×',
  new: '✚ new',
  less1: '▼ less, down to 1/1.1',
  less2: '▼ less, down to 1/2',
  less3: '▼ less than 1/2',
  gone: '✕ gone',
  noise: '≈ within noise',
  same: '= no change',
};
