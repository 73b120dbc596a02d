/**
 * Turns a state into findings: what stands out of the selected threads, range and call paths, with steps that lead on.
 */

import { scaled } from '../../analysis/compare.js';
import type { Finding, GroupTime, KnownReasons } from '../../analysis/findings/findings.js';
import { comparisonOf, findingsOf, reasonsOfWaits } from '../../analysis/findings/findings.js';
import type { WaitingPlace } from '../../model/profile/waits-by-path.js';
import type { SymbolId } from '../../model/units.js';
import { type SentencePart, sentenceOf } from '../../render/findings.js';
import { visibleText } from '../../render/visible-text.js';
import type { PageThread } from '../data/page-data.js';
import { widthName } from './captions/details.js';
import { compareFunctions, timedRows } from './compared-functions.js';
import type { RowComparison, Sides } from './comparison.js';
import { hasLocks } from './locks.js';
import { requestsSentence } from './requests.js';
import { NO_ZOOM, type State, type Width } from './state.js';
import { chosenRow, type ThreadRow } from './threads.js';
import type { Views } from './views.js';
import { isPlaceShown } from './waits.js';

/** What a button of a finding does: changes the state, or opens what the state does not have. */
export type FindingAction = { readonly label: string } & (
  | { readonly change: Partial<State> }
  | { readonly opens: 'details' }
);

/** `leadsTo`: what a click on the name of a function changes. */
export interface ShownPart extends SentencePart {
  readonly leadsTo?: Partial<State>;
}

export interface ShownFinding {
  readonly kind: Finding['kind'] | 'requests' | 'trigger';
  readonly sentence: readonly ShownPart[];
  /** Two at most. */
  readonly actions: readonly FindingAction[];
}

/** Returns the findings of what a state shows, the most important first. Takes time in proportion to the call paths. */
export function findingsAt(views: Views, state: State): ShownFinding[] {
  const { hasSwitches, libraries } = views;
  const view = views.viewAt(state);
  const data = views.dataAt(state);
  const { threads: indexes } = chosenRow(views.threads, state.threads, state.hidesIdle);
  const findings = findingsOf({
    ...{ meta: data.meta, symbols: libraries.symbols, quality: data.quality, hasSwitches },
    tree: views.treeWithWaitsAt(state),
    shown: view.tree,
    pureWaits: views.pureWaitsAt(state),
    hidesPureWaits: state.hidesPureWaits,
    functions: [...view.functions().values()],
    waits: knownReasons(views, state, indexes),
    groups: data.meta.merged === undefined ? [] : groupsAt(views, state, indexes),
  });
  const sides = views.sidesAt(state);
  const doubts = findings.filter(({ kind }) => kind === 'lost' || kind === 'inferred');
  const kept = sides === null ? findings : [...doubts, comparisonAt(views, state, sides)];
  const context = {
    ...(sides && { sides: sides.names }),
    meta: { ...data.meta, takesBinaries: views.dropped?.takesBinaries ?? false },
    quality: data.quality,
    nameOf: (symbol: SymbolId) => nameOf(views, symbol),
  };
  const shown: ShownFinding[] = kept
    .map((finding) => ({
      kind: finding.kind,
      sentence: sentenceOf(finding, context).map((part) => shownPart(part, views, state)),
      actions: actionsOf(finding, views, state),
    }))
    .filter(({ actions }) => actions.length > 0);
  const { trigger } = views.data; // of the whole page
  return [...(trigger && !state.range ? [trigger] : []), ...shown, ...requestFindings(views, state)];
}

/** Requests are those of the whole page, so a part of it has no finding about them. */
function requestFindings({ requests }: Views, { threads, range }: State): ShownFinding[] {
  const sentence = requests && threads === 'all' && !range ? requestsSentence(requests) : null;
  return sentence === null
    ? []
    : [{ kind: 'requests', sentence, actions: [{ label: 'Show requests', change: { view: 'requests' } }] }];
}

/** Differs between states that may have different findings. */
export function findingsKey(views: Views, state: State): string {
  return JSON.stringify([views.askedOf(state), state.width, state.against]);
}

/** Compares the own times of functions. */
function comparisonAt(views: Views, state: State, sides: Sides): Finding {
  const [before, after] = [views.viewBefore(sides), views.viewAt(state)];
  const { rows } = compareFunctions(timedRows(before), timedRows(after), sides, true);
  const changed = rows.map(({ sums: { symbol }, compared }) => {
    const { before, after, isNoise } = (compared as RowComparison).of.self;
    return { symbol, beforeNs: before, afterNs: after, isNoise };
  });
  const totals = {
    beforeNs: scaled(before.allNs(), sides.scales.before),
    afterNs: scaled(after.allNs(), sides.scales.after),
  };
  return comparisonOf(totals, changed, views.libraries.symbols);
}

function nameOf(views: Views, symbol: SymbolId): string {
  return (views.names[symbol] as string) + views.nameSuffix(symbol);
}

/** Returns the selected groups of a merged profile, with their time before pure waits are hidden. */
function groupsAt(views: Views, state: State, indexes: readonly number[]): GroupTime[] {
  const rows = views.threadsAt({ ...state, ...NO_ZOOM, isOnlyMatches: false, hidesPureWaits: false });
  return indexes.map((index) => rows[index] as ThreadRow).map(({ name, totalNs: ns }) => ({ name, ns }));
}

/** Returns why the selected threads waited on the call paths that are shown; null: not known. */
function knownReasons(views: Views, state: State, indexes: readonly number[]): KnownReasons | null {
  const { waits, threads } = views.dataAt(state);
  if (waits === null) return null;
  const tids = new Set(indexes.map((index) => (threads[index] as PageThread).tid));
  const filters = views.filtersAt(state);
  const isShown = (place: WaitingPlace) => tids.has(place.tid) && isPlaceShown(waits, place, filters);
  return reasonsOfWaits(waits, isShown);
}

function shownPart(part: SentencePart, views: Views, state: State): ShownPart {
  const text = visibleText(part.text);
  const { symbol } = part;
  return symbol === undefined ? { ...part, text } : { ...part, text, leadsTo: showing(symbol, views, state) };
}

/** Returns what shows a function. */
function showing(symbol: SymbolId, views: Views, state: State): Partial<State> {
  if (views.isBlockedAt(state)) return { focus: symbol };
  return views.canOpen(symbol) ? { chosen: symbol } : { search: views.names[symbol] as string };
}

/** Returns what a reader can do next; empty: nothing that the page can. */
function actionsOf(finding: Finding, views: Views, state: State): FindingAction[] {
  const show = (symbol: SymbolId) => ({ label: 'Show it', change: showing(symbol, views, state) });
  const hide = { label: 'Hide pure waits', change: { hidesPureWaits: true } };
  switch (finding.kind) {
    case 'lost':
    case 'inferred':
      return [{ label: 'Details', opens: 'details' }];
    case 'waiting': {
      const lens = (width: Width) => ({ label: widthName(width, views), change: { width } });
      const hidden = finding.hasPureWaits ? [hide] : [];
      const blocked = views.widths.includes('blocked') ? [lens('blocked')] : [];
      const locks = hasLocks(views.data) ? [{ label: 'Locks', change: { view: 'locks' as const } }] : [];
      const first = [...hidden, ...blocked];
      return [...(first.length > 0 ? first : [lens('off-cpu')]), ...locks].slice(0, 2);
    }
    case 'pure-waits':
      return [hide, show(finding.largest.symbol)];
    case 'hidden-waits':
      return [{ label: 'Show waits again', change: { hidesPureWaits: false } }];
    case 'running':
      return [
        show(finding.first.symbol),
        ...(state.width === 'cpu'
          ? []
          : [{ label: finding.isOnCpu ? 'Running' : 'Traced', change: { width: 'cpu' as const } }]),
      ];
    case 'blocked':
      return finding.waitedFor.slice(0, 1).map(({ symbol }) => show(symbol));
    case 'comparison':
      return [
        finding.largest === null ? { label: 'Functions', change: { view: 'functions' } } : show(finding.largest.symbol),
      ];
    case 'merged':
      return finding.pureWaitsNs === 0 || state.hidesPureWaits ? [] : [hide];
  }
}
