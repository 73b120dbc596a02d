/**
 * The source code of a function: what each line took, its own time up to there and the calls that it makes.
 */
import { formatCount, formatDuration, formatMany, formatShare } from '../../../render/format.js';
import { htmlElement as html } from '../../../render/viewer/dom.js';
import { visibleText } from '../../../render/visible-text.js';
import type { SourceCalls, SourceCodeLine, SourceFunction } from '../../data/source.js';
import { starredCalls } from '../../view/captions/counts.js';
import { shortLine } from '../../view/captions/details.js';
import { shownName } from '../../view/shown-names.js';
import type { Views } from '../../view/views.js';
import type { FrameActions } from '../graph/frame-actions.js';

export function sourceSection({ file, lines }: SourceFunction, views: Views, actions: FrameActions): HTMLElement[] {
  const allNs = lines.reduce((sum, line) => sum + nsOf(line), 0);
  const row = (line: SourceCodeLine) => {
    const ns = nsOf(line);
    const share = { class: 'share', title: formatShare(ns, allNs), '--share': `${(100 * ns) / Math.max(1, allNs)}%` };
    const time = html('td', share, ns > 0 ? formatDuration(ns) : '');
    const code = html('td', {}, line.text === undefined ? elsewhere(line) : html('code', {}, line.text));
    return [html('tr', {}, time, html('td', { class: 'quiet' }, String(line.line ?? '')), code), ...parts(line)];
  };
  const parts = ({ ownNs = 0, calls = [], line }: SourceCodeLine) => [
    ...(ownNs > 0 ? [part(ownNs, html('span', {}, line === null ? 'itself' : 'itself, up to here'))] : []),
    ...calls.map((own) => part(own.ns, callee(own))),
  ];
  const callee = ({ fn, calls, inferred }: SourceCalls) => {
    const name = html('bdi', {}, visibleText(shownName(fn[0])));
    const symbol = views.symbolsByName()(...fn);
    const isLink = symbol !== undefined && views.canOpen(symbol);
    const link = isLink ? html('button', { type: 'button', click: () => actions.open(symbol) }, name) : name;
    const title = `${formatMany(calls, 'call')}${inferred === 0 ? '' : `, ${formatCount(inferred)} inferred`}`;
    return html('span', { title }, link, ` ${starredCalls(calls, inferred)} ×`);
  };
  return [
    html('p', { class: 'quiet', title: visibleText(file) }, 'Of all threads, in all the time'),
    html('table', { class: 'source' }, ...lines.flatMap(row)),
  ];
}

function part(ns: number, what: HTMLElement): HTMLElement {
  return html('tr', { class: 'part' }, html('td', {}, formatDuration(ns)), html('td', {}), html('td', {}, what));
}

function nsOf({ ownNs = 0, calls = [] }: SourceCodeLine): number {
  return calls.reduce((sum, { ns }) => sum + ns, ownNs);
}

function elsewhere({ file, line }: SourceCodeLine): string {
  if (line === null) return 'up to its end, or on a line that is not known';
  return file === undefined ? '' : visibleText(shortLine({ file, line }));
}
