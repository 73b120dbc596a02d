/**
 * Writes the style sheet of plots, in addition to that of all pictures.
 */

import { type Colour, INK, LINE, OTHERS, PAGE, QUIET_INK } from '../frames/colours.js';
import { SHADES } from './marks.js';

export function plotStyle(): string {
  const rules = (scheme: keyof Colour) =>
    colourRules().map(([selector, property, colour]) => `${selector}{${property}:${colour[scheme]}}`);
  return [SHAPE, ...rules('light'), `@media screen and (prefers-color-scheme:dark){${rules('dark').join('\n')}}`].join(
    '\n',
  );
}

function colourRules(): (readonly [selector: string, property: string, colour: Colour])[] {
  return [
    ['.grid', 'stroke', LINE],
    ['.percentile', 'stroke', QUIET_INK],
    ['.label', 'stroke', PAGE],
    ['.dot', 'fill', OTHERS['off-cpu']],
    ['.atleast,.slow', 'stroke', INK],
    ...SHADES.map((colour, shade) => [`.h${shade}`, 'fill', colour] as const),
  ];
}

const SHAPE = `
.grid,.percentile{stroke-width:1;fill:none}
.percentile{stroke-dasharray:3 3}
.dot{fill-opacity:.75}
.atleast,.slow{fill:none;stroke-width:1.4}
.end{text-anchor:end}
.middle{text-anchor:middle}
.name{font-weight:600}
.label{paint-order:stroke;stroke-width:3px;stroke-linejoin:round;font-weight:600}
`.trim();
