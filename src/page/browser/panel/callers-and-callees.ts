/**
 * Who calls a function and what it calls, as lists.
 */
import { ROOT } from '../../../model/calls/call-tree.js';
import { type Nanoseconds, NONE, type NodeId, type SymbolId } from '../../../model/units.js';
import { changeOf } from '../../../render/diff/paths.js';
import { paintByChange } from '../../../render/diff/wording.js';
import { formatCount, formatDifference, formatDuration, formatMany, formatShare } from '../../../render/format.js';
import { CHANGE_SIGNS, type Change } from '../../../render/frames/colours.js';
import { type FrameTable, nameOf } from '../../../render/frames/frame-table.js';
import { consume, htmlElement as html, setAttributes, swatch } from '../../../render/viewer/dom.js';
import { isShortcut } from '../../../render/viewer/search-field.js';
import { starredCalls } from '../../view/captions/counts.js';
import { painterOf } from '../../view/colouring.js';
import type { ComparedTable } from '../../view/comparison.js';
import type { FunctionView, Resumption } from '../../view/function-view.js';
import type { Colouring } from '../../view/state.js';
import type { FrameActions } from '../graph/frame-actions.js';

/** Lists who calls a function and what it calls, how often, and each with its part of the function's time. */
export class CallersAndCallees {
  readonly element = html('div', { class: 'paths' });

  constructor(private readonly actions: FrameActions) {}

  show({ callers, callees, compared, name, sums, resumedBy, resumes }: FunctionView, look: Look): void {
    const focused = (document.activeElement as HTMLElement | null)?.dataset['symbol'];
    // above whom a thread waited for, callers are above callees
    const [below, above] = look.isBlockedTime ? ['Below it', 'Above it'] : ['Called by', 'Calls'];
    const itself = html(
      'div',
      { class: 'path-itself' },
      html('bdi', {}, name),
      html('span', {}, formatDuration(compared?.row.weight ?? sums.totalNs)),
    );
    this.element.replaceChildren(
      ...this.resumptions('Resumed by', resumedBy),
      ...(compared === null
        ? this.list(below as string, callers, look, false)
        : this.changes(below as string, compared.callers)),
      itself,
      ...(compared === null
        ? this.list(above as string, callees, look, !look.isBlockedTime)
        : this.changes(above as string, compared.callees)),
      ...this.resumptions('Resumes', resumes),
    );
    if (focused !== undefined) this.element.querySelector<HTMLElement>(`[data-symbol="${focused}"]`)?.focus();
  }

  /** `hasItself`: with a row of what the function took itself, without the calls of itself below it. */
  private list(
    title: string,
    table: FrameTable,
    { colouring, isByCalls, isBlockedTime }: Look,
    hasItself: boolean,
  ): HTMLElement[] {
    const top = topOf(table);
    const allNs = table.total[top] as number;
    const selfNs = hasItself ? (table.self[top] as number) : 0;
    const { classOf } = painterOf(table, colouring === 'outside' ? 'function' : colouring);
    const { calls, inferredCalls } = table.tree;
    const order = isByCalls ? calls : table.total;
    const nodes = childrenOf(table, top).sort((a, b) => (order[b] as number) - (order[a] as number));
    const rows = nodes.map((node) => {
      const note = isBlockedTime ? html('small', {}) : callsNote(calls[node] as number, inferredCalls[node] as number);
      const row = pathRow(nameOf(table, node), table.total[node] as number, allNs, classOf(node));
      return this.row(table.tree.symbol[node] as SymbolId, withCalls(row, note));
    });
    if (selfNs > 0) rows.push(withCalls(pathRow('itself', selfNs, allNs, ''), html('small', {})));
    const count = html('small', {}, formatCount(nodes.length));
    return [html('h3', {}, title, count), ...(rows.length === 0 ? [html('p', { class: 'quiet' }, 'none')] : rows)];
  }

  /** Lists who went on with a stack, or which stacks, and how often. */
  private resumptions(title: string, others: readonly Resumption[]): HTMLElement[] {
    if (others.length === 0) return [];
    const rows = others.map(({ symbol, name, times }) =>
      this.row(
        symbol,
        html(
          'div',
          { class: 'path', title: name },
          html('bdi', {}, name),
          html('small', {}, `${formatCount(times)} ×`),
        ),
      ),
    );
    return [html('h3', {}, title, html('small', {}, formatCount(rows.length))), ...rows];
  }

  /** Lists both sides of a comparison: the time after, and how it changed. */
  private changes(title: string, { table, paths }: ComparedTable): HTMLElement[] {
    const top = topOf(table);
    const { before, after } = paths.totals;
    const allNs = after[top] as number;
    const rows = childrenOf(table, top).map((node) => {
      const [old, now] = [before[node] as number, after[node] as number];
      const change = changeOf(paths, node);
      const note = html(
        'small',
        { class: TONES[change] ?? '', title: `${formatDuration(old)} → ${formatDuration(now)}` },
        `${CHANGE_SIGNS[change]} ${change === 'same' ? '' : formatDifference(now - old)}`,
      );
      const row = pathRow(nameOf(table, node), now, allNs, paintByChange(paths)(node), note);
      row.classList.add('changed');
      return this.row(table.tree.symbol[node] as SymbolId, row);
    });
    const count = html('small', {}, formatCount(rows.length));
    return [html('h3', {}, title, count), ...(rows.length === 0 ? [html('p', { class: 'quiet' }, 'none')] : rows)];
  }

  /** `row`: opens the function. */
  private row(symbol: SymbolId, row: HTMLElement): HTMLElement {
    setAttributes(row, { tabindex: 0, role: 'button', 'data-symbol': symbol });
    const { actions } = this;
    row.addEventListener('click', () => actions.open(symbol));
    row.addEventListener('keydown', (event) => {
      if (isShortcut(event)) return;
      const { left, bottom } = row.getBoundingClientRect();
      if (event.key === 'Enter' || event.key === ' ' || event.key === 'o') actions.open(symbol);
      else if (event.key === 'm') actions.openMenu(symbol, left, bottom, () => row.focus());
      else return;
      consume(event);
    });
    row.addEventListener('contextmenu', (event) => {
      event.preventDefault();
      actions.openMenu(symbol, event.clientX, event.clientY, () => row.focus());
    });
    return row;
  }
}

interface Look {
  readonly colouring: Colouring;
  /** The largest number of calls first, not the most time. */
  readonly isByCalls: boolean;
  readonly isBlockedTime: boolean;
}

/** Stops have no calls. */
function callsNote(calls: number, inferred: number): HTMLElement {
  const title = `${formatMany(calls, 'call')}${inferred === 0 ? '' : `, ${formatCount(inferred)} inferred`}`;
  return calls === 0
    ? html('small', {})
    : html('small', { class: 'times', title }, `${starredCalls(calls, inferred)} ×`);
}

function withCalls(row: HTMLElement, calls: HTMLElement): HTMLElement {
  row.querySelector('bdi')?.after(calls);
  return row;
}

const TONES: Partial<Record<Change, string>> = { more: 'more', new: 'more', less: 'less', gone: 'less' };

function childrenOf({ firstChild, nextSibling }: FrameTable, top: NodeId): NodeId[] {
  const nodes: NodeId[] = [];
  for (let node = firstChild[top] as NodeId; node !== NONE; node = nextSibling[node] as NodeId) nodes.push(node);
  return nodes;
}

/** `colour`: CSS class of frames; empty: no swatch. `note`: default: its share. */
function pathRow(
  name: string,
  ns: Nanoseconds,
  allNs: Nanoseconds,
  colour: string,
  note = html('small', {}, formatShare(ns, allNs)),
): HTMLElement {
  return html(
    'div',
    { class: 'path', title: name },
    swatch('swatch', colour),
    html('bdi', {}, name),
    html('span', { class: 'track', '--share': `${(100 * ns) / Math.max(1, allNs)}%` }),
    html('span', {}, formatDuration(ns)),
    note,
  );
}

/** Returns the node of the function itself, the only child of the root; else the root. */
function topOf({ firstChild, nextSibling }: FrameTable): NodeId {
  const first = firstChild[ROOT] as NodeId;
  return first === NONE || nextSibling[first] !== NONE ? ROOT : first;
}
