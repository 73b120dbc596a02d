/**
 * Where a chart plugs into a viewer, in the picture as in the page: boxes that a reader points at, walks through and marks. The flame
 * graph (`flame-graph.ts`) is one. Another one, such as a time axis, stands beside it with a drawing of its own; pointer, keys and
 * focus (`listen.ts`, `keys.ts`) know this interface alone.
 */
export interface Chart {
  /** The box that has the focus of the keyboard, or would get it. */
  focusedBox: number;
  readonly hasFocus: boolean;
  /** What the pointer or the focus is at; null: no box. */
  boxAt(target: EventTarget | null): number | null;
  /** Puts a line around a box. */
  markBox(box: number): void;
  unmark(): void;
  /** Lets Tab reach this box, and no other. */
  makeFocusable(box: number): void;
  /** Gives a box the focus of the keyboard, and brings it into sight. */
  focus(box: number): void;
  /** To the next box in the direction of an arrow key; false for any other key. */
  moveFocus(key: string): boolean;
}
