/**
 * Changes can be told apart without seeing red, green or any colour, and labels can be read on all of them.
 */
import { describe, expect, test } from 'vitest';
import { changeStyle, LEGEND, patternMarkup } from '../../../src/render/diff/wording.js';
import { CHANGE_COLOURS, TOKENS } from '../../../src/render/frames/palette.js';
import { contrast, seenBy } from '../../helpers/checks/colours.js';

/** How dark a texture makes its strokes, as in the style sheet. */
const STROKE_OPACITY = 0.26;

function blended(ink: string, page: string): string {
  const mixed = [1, 3, 5].map((at) => {
    const [own, below] = [ink, page].map((hex) => Number.parseInt(hex.slice(at, at + 2), 16)) as [number, number];
    return Math.round(STROKE_OPACITY * own + (1 - STROKE_OPACITY) * below);
  });
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}

describe.each(['light', 'dark'] as const)('in the %s theme', (scheme) => {
  test.each(Object.entries(CHANGE_COLOURS))('labels can be read on %s, also on its strokes', (_, colour) => {
    expect(contrast(TOKENS.ink[scheme], colour[scheme])).toBeGreaterThanOrEqual(4.5);
    expect(contrast(TOKENS.ink[scheme], blended(TOKENS.ink[scheme], colour[scheme]))).toBeGreaterThanOrEqual(3);
  });

  test.each(['deuteranopia', 'protanopia'] as const)('more, less and the same differ with %s', (blindness) => {
    const kinds = [
      ['more1', 'more2', 'more3'],
      ['less1', 'less2', 'less3'],
      ['same', 'noise'],
    ];
    const distance = (a: string, b: string) => {
      const [one, other] = [a, b].map((name) => seenBy(blindness, CHANGE_COLOURS[name]?.[scheme] as string));
      return Math.hypot(...(one ?? []).map((value, axis) => value - (other?.[axis] ?? 0)));
    };
    for (const [at, group] of kinds.entries())
      for (const others of kinds.slice(at + 1))
        for (const a of group) for (const b of others) expect(distance(a, b), `${a} ${b}`).toBeGreaterThan(0.03);
  });
});

test('each direction has a texture of its own, and each class a pattern, a colour and a legend', () => {
  const textures = [...patternMarkup().matchAll(/id="fill-(\w+)".*?<g class="texture">(.*?)<\/g>/g)];
  expect(textures.map(([, name]) => name).sort()).toEqual(Object.keys(LEGEND).sort());
  expect(new Set(textures.map(([, , texture]) => texture)).size).toBe(textures.length);
  for (const [, name] of textures) {
    expect(changeStyle()).toContain(`.${name}{fill:url(#fill-${name})}`);
    expect(changeStyle().match(new RegExp(`\\.flat-${name}\\{fill:`, 'g'))).toHaveLength(2);
  }
});
