/**
 * Renders a comparison as one HTML file: the picture and the table of functions, without a network.
 */
import { sha256 } from '../../host/digest.js';
import { ROOT } from '../../model/calls/call-tree.js';
import type { Comparison } from '../../render/diff/comparison.js';
import { type FunctionChange, writePaths, writeRows } from '../../render/diff/data.js';
import { tableOf } from '../../render/diff/paths.js';
import {
  DEFAULT_TITLE,
  type DiffPictureOptions,
  type DiffTexts,
  diffLegend,
  diffTexts,
  drawnPaths,
} from '../../render/diff/picture.js';
import { changeStyle, paintByChange, patternMarkup } from '../../render/diff/wording.js';
import type { LegendEntry } from '../../render/frames/captions.js';
import { layout } from '../../render/layout.js';
import { SVG_DEFAULTS } from '../../render/svg/svg.js';
import { xml } from '../../render/svg/xml.js';
import { visibleText } from '../../render/visible-text.js';
import { documentStart, themeStyle } from '../document.js';
import { DIFF_PAGE_SCRIPT, DIFF_PAGE_STYLE } from './page.generated.js';

/** Of the narrowest frame that is not merged: the page can be this wide. */
const WIDEST_PX = 3840;

/** Yields the file in parts. `rows`: the functions, in the order of the table. */
export function* renderDiffHtml(
  comparison: Comparison,
  rows: readonly FunctionChange[],
  options: DiffPictureOptions = {},
): Generator<string> {
  const { title = DEFAULT_TITLE, icicle = false, widthOf = 'after' } = options;
  const { minPx } = SVG_DEFAULTS;
  const paths = drawnPaths(comparison, widthOf, minPx / WIDEST_PX);
  const style = `${themeStyle()}\n${changeStyle()}\n${DIFF_PAGE_STYLE}`;
  const boxes = layout(tableOf(paths, widthOf), { first: ROOT, last: ROOT, widthPx: WIDEST_PX, minPx });
  const legend = diffLegend({ boxes, classOf: paintByChange(paths) });
  yield `${documentStart({ title, policy: policyOf(style), style })}${headMarkup(title, diffTexts(comparison))}
<main>
<noscript>This page needs JavaScript. The script is part of the file; nothing is loaded from the network.</noscript>
<div id="bar" role="toolbar" aria-label="View"></div>
${legendMarkup(legend)}
<div id="graph"><svg role="group" aria-label="Flame graph" width="1" height="1">${patternMarkup()}<g id="frames"><g id="boxes"></g><g id="textures"></g><g id="labels" aria-hidden="true"></g></g></svg></div>
<div id="functions" role="region" aria-label="Functions" tabindex="0"></div>
</main>
<script type="application/json" id="data">`;
  yield writePaths(paths, { isIcicle: icicle, minPx, widthOf });
  yield '</script>\n<script type="application/json" id="rows">';
  yield writeRows(rows);
  yield `</script>\n<script>${DIFF_PAGE_SCRIPT}</script>\n</body>\n</html>\n`;
}

function headMarkup(title: string, { lines, warnings, notes }: DiffTexts): string {
  const items = (texts: readonly string[]) =>
    texts.map((text) => `<li><bdi>${xml(visibleText(text))}</bdi></li>`).join('');
  return [
    '<header>',
    `<h1><bdi>${xml(title)}</bdi></h1>`,
    ...lines.map((line) => `<p>${xml(line)}</p>`),
    ...(warnings.length === 0 ? [] : [`<div role="alert"><ul class="warnings">${items(warnings)}</ul></div>`]),
    `<ul class="notes" aria-label="Notes">${items(notes)}</ul>`,
    '</header>',
  ].join('\n');
}

function legendMarkup(legend: readonly LegendEntry[]): string {
  const items = legend.map(
    ({ swatch, text }) =>
      `<li><svg width="13" height="13" aria-hidden="true"><rect class="${swatch}" width="13" height="13" rx="2"/></svg>${xml(text)}</li>`,
  );
  return `<ul class="legend" aria-label="Colours">${items.join('')}</ul>`;
}

/** Returns a policy that allows only our script and style, and no network access. */
function policyOf(style: string): string {
  const hashOf = (source: string) => `sha256-${sha256(source)}`;
  return [
    "default-src 'none'",
    `script-src '${hashOf(DIFF_PAGE_SCRIPT)}'`,
    `style-src '${hashOf(style)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}
