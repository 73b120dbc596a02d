/**
 * Starts the viewer, unless the SVG is embedded in another document.
 */
import { paintByLibrary } from '../../frames/drawing.js';
import { frameDetails } from '../../frames/frame-details.js';
import { byId } from '../../viewer/dom.js';
import { readData } from '../data.js';
import { Viewer } from './svg-viewer.js';

if (document.documentElement instanceof SVGSVGElement) {
  const data = readData(byId('data').textContent ?? '');
  const { table } = data;
  const detailsOf = (boxes: Parameters<typeof frameDetails>[1], box: number) => frameDetails(table, boxes, box);
  new Viewer({ ...data, classOf: paintByLibrary(table), detailsOf }).start();
}
