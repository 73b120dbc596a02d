/**
 * Writes the style sheet of the file.
 */
import { TEXTURE_OPACITY } from '../frames/drawing.js';
import { type Colour, FRAME_COLOURS, TOKENS } from '../frames/palette.js';

const SANS = 'system-ui,-apple-system,"Segoe UI",Roboto,"Liberation Sans","DejaVu Sans",sans-serif';
const MONO = 'ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono","DejaVu Sans Mono",monospace';

/** Dark colours are for screens only: paper is light. */
export function styleSheet(): string {
  const coloured = colourRules();
  const rules = (scheme: keyof Colour) =>
    coloured.map(([selector, property, colour]) => `${selector}{${property}:${colour[scheme]}}`);
  return [
    SHAPE,
    ...rules('light'),
    `@media screen and (prefers-color-scheme:dark){${['svg{color-scheme:dark}', ...rules('dark')].join('\n')}}`,
    PRINT,
  ].join('\n');
}

type ColourRule = readonly [selector: string, property: string, colour: Colour];

const { bg, ink, ink3, line, sel, hit, warn, warnbg } = TOKENS;
const STOPS = ['syscall', 'off-cpu', 'preempted', 'untraced', 'lost'] as const;

function colourRules(): ColourRule[] {
  return [
    ['svg', 'background', bg],
    ['.page', 'fill', bg],
    ['text', 'fill', ink],
    ['.quiet', 'fill', ink3],
    ['.warning text', 'fill', warn],
    ['.warning rect', 'fill', warnbg],
    ['.panel rect', 'fill', bg],
    ['.panel rect', 'stroke', line],
    ['.rule', 'stroke', line],
    ...Object.entries(FRAME_COLOURS).map(([name, colour]): ColourRule => [`.${name}`, 'fill', colour]),
    ...STOPS.map((name): ColourRule => [`.${name}`, 'fill', TOKENS[name]]),
    ['.match', 'stroke', hit],
    ['.chosen', 'stroke', sel],
    ['.texture path', 'stroke', ink],
    ['#mark', 'stroke', ink],
    ['#mark.keys', 'stroke', sel],
    ['.bar', 'color', ink],
    ['.bar output', 'color', ink3],
    ['.bar :focus-visible', 'outline-color', sel],
  ];
}

const SHAPE = `
svg{color-scheme:light}
text{font:12px ${SANS}}
text,.bar{user-select:none}
#title{font-size:19px;font-weight:600;letter-spacing:-.2px}
#labels text,.panel text{font-family:${MONO}}
#labels{pointer-events:none}
#boxes rect{cursor:pointer;outline:none}
#textures,#mark{pointer-events:none}
.texture path{stroke-opacity:${TEXTURE_OPACITY};fill:none}
#mark{fill:none;stroke-width:2}
.caller{opacity:.55}
.match{stroke-width:2}
.unmatched{opacity:.4}
.panel{pointer-events:none}
.panel rect{filter:drop-shadow(0 2px 6px #0004)}
.panel .name{font-weight:700}
.bar{display:flex;gap:8px;align-items:center;justify-content:flex-end;height:100%;font:12px ${SANS}}
.bar input,.bar button{font:inherit;color:inherit;height:28px;box-sizing:border-box;padding:0 10px;background:none;border:1px solid #888a;border-radius:6px}
.bar input{width:210px;min-width:5em}
.bar.narrow{flex-wrap:wrap;justify-content:flex-start}
.bar button{cursor:pointer}
.bar button:disabled{opacity:.5;cursor:default}
.bar button,.bar output{white-space:nowrap;flex-shrink:0}
.bar :focus-visible{outline:2px solid;outline-offset:1px}
`.trim();

const PRINT =
  '@media print{#bar,.panel,#mark{display:none}#head{transform:none!important}svg{width:100%;height:auto;print-color-adjust:exact}}';
