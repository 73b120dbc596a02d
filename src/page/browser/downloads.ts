/**
 * Saves the view as SVG, and its time range as a profile in JSON.
 */
import { withoutEmptyNodes } from '../../model/calls/call-tree.js';
import type { Profile } from '../../model/profile/profile.js';
import { renderJson } from '../../profile-file/write.js';
import { recordingFileName } from '../../render/frames/recording-name.js';
import type { PageData } from '../data/page-data.js';
import { profileOf } from '../data/profile-of.js';
import { legendEntries } from '../view/captions/legend.js';
import { partOfRange, rangeFileName } from '../view/captions/range-part.js';
import { shownText } from '../view/captions/shown.js';
import type { State } from '../view/state.js';
import type { Views } from '../view/views.js';
import type { MainGraph } from './graph/main-graph.js';
import { saveText } from './platform/save.js';
import { svgText } from './save-svg.js';

/** What a saved file is about: the time range that is shown, or all of the recording. */
interface Saved {
  readonly data: PageData;
  /** Of the file, without an ending. */
  readonly name: string;
}

function savedAt(views: Views, state: State): Saved {
  const range = views.rangeAt(state);
  const name = recordingFileName(views.data);
  if (range === null) return { data: views.data, name };
  return { data: partOfRange(views.dataAt(state), range), name: name + rangeFileName(range) };
}

export function saveProfile(views: Views, state: State): void {
  const { data, name } = savedAt(views, state);
  const profile = profileOf(data);
  const saved = data === views.data ? profile : withoutEmptyPaths(profile);
  saveText(`${name}.json`, 'application/json', renderJson(saved));
}

/** Of the call paths of the recording, a range has some. */
function withoutEmptyPaths(profile: Profile): Profile {
  const threads = profile.threads.map((thread) => ({ ...thread, tree: withoutEmptyNodes(thread.tree) }));
  return { ...profile, threads };
}

export function saveView({ graph, table, painter, container }: MainGraph, views: Views, state: State): void {
  const { drawing } = graph;
  const { data, name } = savedAt(views, state);
  const caption = {
    profile: data,
    title: document.title,
    shown: shownText(views, state),
    legend: legendEntries(table, drawing.boxes, painter),
  };
  const svg = svgText(drawing, (box) => graph.highlightOf(box), caption, container.clientWidth);
  saveText(`${name}.svg`, 'image/svg+xml', svg);
}
