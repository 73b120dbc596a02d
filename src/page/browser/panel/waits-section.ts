/**
 * The waits of a function: for whom and why, and the longest wait as a bar.
 */
import type { WaitPiece } from '../../../model/profile/waits-by-path.js';
import type { Nanoseconds } from '../../../model/units.js';
import { formatCount, formatDuration, formatMany, formatShare } from '../../../render/format.js';
import { htmlElement as html, setAttributes, swatch } from '../../../render/viewer/dom.js';
import { blockerText, pieceClass, pieceText, reasonText, threadText, waitsText } from '../../view/captions/wakings.js';
import type { WaitsView } from '../../view/function-view.js';
import { summedPieces, type WaitNames, type WaitsOfFunction } from '../../view/waits.js';

const MAX_LISTED_PIECES = 6;

/** The waits in the function panel: for whom and why, the longest wait as a bar, and what was done meanwhile. */
export function waitsSection({ waits, names, unlisted, originNs }: WaitsView): HTMLElement {
  return html(
    'div',
    { class: 'waits' },
    html('h3', {}, waitsText(waits)),
    blockersTable(waits, names),
    ...(unlisted.waits > 0
      ? [
          html(
            'p',
            {},
            `${formatMany(unlisted.waits, 'wait')} (${formatDuration(unlisted.ns)}) on other call paths are not listed`,
          ),
        ]
      : []),
    ...chain(waits, names, originNs),
  );
}

function blockersTable({ blockers, ns }: WaitsOfFunction, names: WaitNames): HTMLElement {
  const head = ['Waited for', 'Why', 'Waits', 'Time', 'Waking up'].map((title) => html('th', { scope: 'col' }, title));
  const rows = blockers.map((blocker) => {
    const who = blockerText(names, blocker);
    const percent = formatShare(blocker.ns, ns).replace(' ', '');
    return html(
      'tr',
      {},
      html('th', { scope: 'row', title: who }, html('bdi', {}, who)),
      html('td', {}, reasonText(blocker)),
      html('td', {}, formatCount(blocker.waits)),
      html('td', {}, html('span', { class: 'share', '--share': percent }, formatDuration(blocker.ns))),
      html('td', {}, formatDuration(blocker.wakeUpNs)),
    );
  });
  return html('table', {}, html('tr', {}, ...head), ...rows);
}

/** The critical path of the longest wait. */
function chain({ longest }: WaitsOfFunction, names: WaitNames, originNs: Nanoseconds): HTMLElement[] {
  const { ns, startNs, tid, pieces } = longest;
  const text = (piece: WaitPiece) => `${pieceText(names, piece)} · ${formatDuration(piece.ns)}`;
  const bar = html('div', { class: 'chain', role: 'img', 'aria-label': pieces.map(text).join(', ') });
  for (const piece of pieces) {
    const part = pieceSwatch(names, piece);
    setAttributes(part, { title: text(piece) });
    part.style.flexGrow = String(piece.ns);
    bar.append(part);
  }
  const sums = summedPieces(pieces);
  const listed = sums
    .slice(0, MAX_LISTED_PIECES)
    .map((piece) => html('li', {}, pieceSwatch(names, piece), text(piece)));
  const rest = sums.slice(MAX_LISTED_PIECES).reduce((sum, piece) => sum + piece.ns, 0);
  if (rest > 0) listed.push(html('li', {}, `others · ${formatDuration(rest)}`));
  const title = `Longest: ${formatDuration(ns)} of ${threadText(names.threads, tid)}, ${formatDuration(startNs - originNs)} after the start`;
  return [html('h3', {}, title), bar, html('ul', { class: 'legend' }, ...listed)];
}

function pieceSwatch({ functions }: WaitNames, piece: WaitPiece): HTMLElement {
  return swatch('piece', pieceClass(functions, piece));
}
