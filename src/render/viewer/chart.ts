/**
 * Defines the interface between a chart and the viewer, in the SVG and in the page: boxes that can be pointed at, focused and marked.
 * The flame graph (`flame-graph.ts`) is the only chart. Pointer, keys and focus (`listen.ts`, `keys.ts`) use only this interface, so
 * another chart, such as a time axis, would not change them.
 */
export interface Chart {
  /** The box that has the keyboard focus, or would get it. */
  focusedBox: number;
  readonly hasFocus: boolean;
  /** Returns the box of an event target; null: no box. */
  boxAt(target: EventTarget | null): number | null;
  /** Outlines a box. */
  markBox(box: number): void;
  unmark(): void;
  /** Makes a box the only one that Tab reaches. */
  setTabStop(box: number): void;
  /** Focuses a box and scrolls it into view. */
  focus(box: number): void;
  /** Moves the focus in the direction of an arrow key; returns false for any other key. */
  moveFocus(key: string): boolean;
}
