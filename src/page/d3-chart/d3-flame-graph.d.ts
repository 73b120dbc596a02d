/** Types for the part of d3-flame-graph 5 that is used; the package has none. */
declare module 'd3-flame-graph' {
  import type { Selection } from './selection.js';

  export interface FlameGraph<Datum> {
    (selection: Selection): void;
    width(px: number): this;
    height(px: number): this;
    cellHeight(px: number): this;
    inverted(isIcicle: boolean): this;
    transitionDuration(ms: number): this;
    tooltip(tooltip: (svg: unknown) => void): this;
    getName(name: (node: { readonly data: Datum }) => string): this;
    setColorMapper(colour: (node: { readonly data: Datum }) => string): this;
    update(data: Datum): this;
  }

  export default function flamegraph<Datum>(): FlameGraph<Datum>;
}
