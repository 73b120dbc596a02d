/**
 * What can be done with a call of a stack chart, by menu and by key.
 */
import { announce } from '../announce.js';
import type { Action } from '../menu.js';
import { copyText } from '../platform/save.js';

/** null: not possible. */
export interface ChartDeeds {
  readonly zoom: () => void;
  readonly select: (() => void) | null;
  readonly range: (() => void) | null;
  readonly ofFunction: readonly Action[];
  readonly wakings: readonly Action[];
  readonly stack: (() => string) | null;
}

export function chartActions({ zoom, select, range, ofFunction, wakings, stack }: ChartDeeds): Action[] {
  return [
    { text: 'Zoom', key: 'Enter', act: zoom },
    ...(range === null ? [] : [{ text: 'Use as range', key: 't', act: range }]),
    ...(select === null ? [] : [{ text: 'Mark call', key: 'k', act: select }]),
    ...wakings,
    ...ofFunction,
    ...(stack === null ? [] : [{ text: 'Copy stack', key: 'c', act: () => copyStack(stack()) }]),
  ];
}

function copyStack(text: string): void {
  void copyText(text).then(() => announce('stack copied'));
}

export interface ChartKeys {
  readonly step: (key: string) => void;
  /** By parts of the view, and by rows. */
  readonly move: (x: number, y: number) => void;
  readonly zoom: (factor: number) => void;
  readonly showAll: () => void;
  readonly jump: (isEnd: boolean) => void;
  readonly back: () => void;
  readonly menu: () => void;
  readonly actions: () => readonly Action[];
}

/** Returns what a key does; null: it is none of the chart's. `hasFocus`: the chart has it, not only the pointer. */
export function chartKey({ key, shiftKey }: KeyboardEvent, hasFocus: boolean, chart: ChartKeys): (() => void) | null {
  const arrow = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
  if (arrow !== undefined && hasFocus)
    return shiftKey ? () => chart.move(arrow[0] as number, arrow[1] as number) : () => chart.step(key);
  const known: Readonly<Record<string, () => void>> = {
    '+': () => chart.zoom(0.5),
    '=': () => chart.zoom(0.5),
    '-': () => chart.zoom(2),
    r: chart.showAll,
    m: chart.menu,
    Escape: chart.back,
    ...(hasFocus && { Home: () => chart.jump(false), End: () => chart.jump(true) }),
  };
  if (Object.hasOwn(known, key)) return known[key] ?? null;
  return chart.actions().find((action) => action.key === key)?.act ?? null;
}
