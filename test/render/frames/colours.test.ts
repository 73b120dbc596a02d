/**
 * Text can be read on every colour that has text, in both themes, and all pages and pictures have the same colours.
 */
import { describe, expect, test } from 'vitest';
import { themeStyle } from '../../../src/page/document.js';
import { FRAME_COLOURS, SCALE_COLOURS, TOKENS, VARIABLES } from '../../../src/render/frames/palette.js';
import { styleSheet } from '../../../src/render/svg/style.js';
import { contrast } from '../../helpers/checks/colours.js';

describe.each(['light', 'dark'] as const)('in the %s theme', (scheme) => {
  const { bg, chrome, hover, press, selbg, warnbg } = TOKENS;
  const { syscall, preempted, untraced, lost, 'off-cpu': offCpu } = TOKENS;
  const onFrames = { ...FRAME_COLOURS, ...SCALE_COLOURS, syscall, preempted, untraced, lost, offCpu };

  test.each(Object.entries({ ...onFrames, bg, chrome, hover, press, selbg }))('ink can be read on %s', (_, colour) => {
    expect(contrast(TOKENS.ink[scheme], colour[scheme])).toBeGreaterThanOrEqual(4.5);
  });

  test.each(['ink2', 'ink3', 'sel', 'hit', 'good', 'warn', 'bad', 'more', 'less'] as const)(
    '%s can be read',
    (name) => {
      for (const surface of [bg, chrome])
        expect(contrast(TOKENS[name][scheme], surface[scheme])).toBeGreaterThanOrEqual(4.5);
    },
  );

  test('warnings can be read', () => {
    expect(contrast(TOKENS.warn[scheme], warnbg[scheme])).toBeGreaterThanOrEqual(4.5);
  });
});

test('pages and pictures have the same colours', () => {
  const [page, picture] = [themeStyle(), styleSheet()];
  for (const [name, { light, dark }] of Object.entries(VARIABLES))
    expect(page).toContain(`--${name}:light-dark(${light},${dark})`);
  for (const [name, { light, dark }] of Object.entries(FRAME_COLOURS))
    for (const colour of [light, dark]) expect(picture).toContain(`.${name}{fill:${colour}}`);
  expect(picture).toContain(`svg{background:${TOKENS.bg.dark}}`);
});
