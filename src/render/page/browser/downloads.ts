/**
 * Saves the view as SVG and the profile as JSON.
 */
import { renderJson } from '../../../profile-file/write.js';
import { recordingFileName } from '../../frames/recording-name.js';
import { legendEntries } from '../captions/legend.js';
import { shownText } from '../captions/shown.js';
import { profileOf } from '../data/profile-of.js';
import type { State } from '../view/state.js';
import type { Views } from '../view/views.js';
import type { MainGraph } from './graph/main-graph.js';
import { saveText } from './platform/save.js';
import { svgText } from './save-svg.js';

export function saveProfile({ data }: Views): void {
  saveText(`${recordingFileName(data)}.json`, 'application/json', renderJson(profileOf(data)));
}

export function saveView({ graph, table, painter, container }: MainGraph, views: Views, state: State): void {
  const { drawing } = graph;
  const caption = {
    profile: views.data,
    title: document.title,
    shown: shownText(views, state),
    legend: legendEntries(table, drawing.boxes, painter),
  };
  const svg = svgText(drawing, (box) => graph.highlightOf(box), caption, container.clientWidth);
  saveText(`${recordingFileName(views.data)}.svg`, 'image/svg+xml', svg);
}
