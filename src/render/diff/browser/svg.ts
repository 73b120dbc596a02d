/**
 * Starts the viewer of a comparison, unless the SVG is embedded in another document.
 */
import { Viewer } from '../../svg/browser/svg-viewer.js';
import { byId } from '../../viewer/dom.js';
import { readPaths } from '../data.js';
import { diffPaths, tableOf } from '../paths.js';
import { diffDetails, paintByChange, wordingOf } from '../wording.js';

if (document.documentElement instanceof SVGSVGElement) {
  const { columns, settings } = readPaths(byId('data').textContent ?? '');
  const paths = diffPaths(columns);
  const table = tableOf(paths, settings.widthOf);
  new Viewer({
    ...{ table, settings },
    classOf: paintByChange(paths),
    wording: wordingOf(paths),
    detailsOf: (boxes, box) => diffDetails(paths, table, boxes, box),
  }).start();
}
