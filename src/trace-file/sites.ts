/**
 * Branch sites to bytes and back.
 */
import { BranchKind, type BranchSites, RECORD_SITES, TraceEdge } from '../model/branch-sites.js';
import { type Address, NONE } from '../model/units.js';
import { NumberReader, NumberWriter } from './numbers.js';

/** A site takes a byte in each column. */
const LEAST_SITE_BYTES = 8;
const MOST_KIND = BranchKind.VmExit;

/** Those of records that are no branch are the same in every trace, and not written. */
export function siteBytes(sites: BranchSites): Uint8Array {
  const { length, kind, edge, from, to, fromStart, toStart, fromSymbol, toSymbol } = sites;
  const out = new NumberWriter();
  out.count(length - RECORD_SITES);
  for (const column of [kind, edge, from]) out.column(column.subarray(RECORD_SITES));
  for (let site = RECORD_SITES; site < length; site++) {
    out.near(to[site], from[site]);
    out.near(fromStart[site], from[site]);
    out.near(toStart[site], to[site]);
    out.near(fromSymbol[site], fromSymbol[site - 1]);
    out.near(toSymbol[site], fromSymbol[site]);
  }
  return out.taken();
}

/** Those that are written; `symbols`: how many there are. */
export function readSites(bytes: Uint8Array, symbols: number): BranchSites {
  const input = new NumberReader(bytes, 'its table of branches');
  const count = input.length(LEAST_SITE_BYTES);
  const kind = input.column(new Uint8Array(count), BranchKind.None, MOST_KIND);
  const edge = input.column(new Uint8Array(count), TraceEdge.None, TraceEdge.BeginAndEnd);
  const from = addressColumn(input, count);
  const rest = {
    to: new Float64Array(count),
    fromStart: new Float64Array(count),
    toStart: new Float64Array(count),
    fromSymbol: new Int32Array(count),
    toSymbol: new Int32Array(count),
  };
  let lastSymbol = NONE;
  for (let site = 0; site < count; site++) {
    rest.to[site] = address(input, input.near(from[site]));
    rest.fromStart[site] = input.near(from[site]);
    rest.toStart[site] = input.near(rest.to[site]);
    rest.fromSymbol[site] = lastSymbol = input.nearWithin(lastSymbol, NONE, symbols - 1);
    rest.toSymbol[site] = input.nearWithin(lastSymbol, NONE, symbols - 1);
  }
  input.end();
  return { length: count, kind, edge, from, ...rest };
}

function addressColumn(input: NumberReader, count: number): Float64Array {
  if (input.count() !== count) throw input.fault('has columns of different lengths');
  const values = new Float64Array(count);
  let last = 0;
  for (let site = 0; site < count; site++) values[site] = last = address(input, input.near(last));
  return values;
}

function address(input: NumberReader, value: number): Address {
  if (Number.isFinite(value)) return value;
  throw input.fault('has an address that is none');
}
