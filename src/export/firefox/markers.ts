/**
 * Turns losses, and calls whose start or end was not seen, into markers of Firefox Profiler.
 */
import { CallEvent, type CallEvents, isBeginning } from '../../model/calls/call-events.js';
import { float64Column, int32Column, uint8Column } from '../../model/columns.js';
import { SpecialSymbol } from '../../model/symbol-table.js';
import type { Nanoseconds, SymbolId } from '../../model/units.js';

export const MarkerKind = { Lost: 0, Cut: 1 } as const;

/** By `MarkerKind`: names, and what the profiler shows of markers. */
export const MARKERS = [
  { name: 'Lost', text: 'trace data is missing', fields: [] },
  {
    name: 'Cut call',
    text: 'its start or its end was not seen',
    fields: [{ key: 'function', label: 'Function', format: 'unique-string' }],
  },
] as const;

/** Describes them to the profiler. */
export const markerSchema: readonly object[] = MARKERS.map(({ name, text, fields }) => ({
  name,
  description: text,
  display: ['marker-chart', 'marker-table', 'timeline-overview'],
  ...(fields.length > 0 && { chartLabel: '{marker.data.function}', tableLabel: '{marker.data.function}' }),
  fields,
}));

/** In the order of their ends. */
export interface Markers {
  readonly kind: Uint8Array; // MarkerKind
  readonly symbol: Int32Array; // SymbolId
  readonly startNs: Float64Array;
  readonly endNs: Float64Array;
}

/** `symbolOf`: by node. */
export function markersOf({ timeNs, node, kind }: CallEvents, symbolOf: Int32Array): Markers {
  const kinds = uint8Column();
  const symbols = int32Column();
  const [starts, ends] = [float64Column(), float64Column()];
  const open: Nanoseconds[] = [];
  for (let row = 0; row < kind.length; row++) {
    if (isBeginning(kind[row])) {
      open.push(timeNs[row]);
      continue;
    }
    const startNs = open.pop() as Nanoseconds;
    const symbol: SymbolId = symbolOf[node[row]];
    const isLost = symbol === SpecialSymbol.Lost;
    if (!isLost && kind[row] !== CallEvent.Cut) continue;
    kinds.push(isLost ? MarkerKind.Lost : MarkerKind.Cut);
    symbols.push(symbol);
    starts.push(startNs);
    ends.push(timeNs[row]);
  }
  return { kind: kinds.view(), symbol: symbols.view(), startNs: starts.view(), endNs: ends.view() };
}
