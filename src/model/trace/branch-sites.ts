/**
 * The table of branch sites, the distinct branches of a trace. Millions of events share a few hundred thousand sites,
 * so an event is a site and a time, and whatever the two addresses alone determine is computed once per site.
 */
import { float64Column, int32Column, uint8Column } from '../columns.js';
import { type Address, NONE, type SiteId, type SymbolId } from '../units.js';

/** The kind of a branch. Kinds from `Gap` on are records, which are inserted among a thread's events. */
export const BranchKind = {
  None: 0,
  Call: 1,
  Return: 2,
  Jump: 3,
  Syscall: 4,
  Sysret: 5,
  Interrupt: 6,
  Iret: 7,
  Async: 8,
  TxAbort: 9,
  VmEntry: 10,
  VmExit: 11,
  Gap: 12,
  SwitchOut: 13,
  PreemptOut: 14,
  SwitchIn: 15,
  Exec: 16,
} as const;
export type BranchKind = (typeof BranchKind)[keyof typeof BranchKind];

/** perf's "tr strt" and "tr end", alone or with a kind ("tr end  syscall"). */
export const TraceEdge = { None: 0, Begin: 1, End: 2, BeginAndEnd: 3 } as const;
export type TraceEdge = (typeof TraceEdge)[keyof typeof TraceEdge];

/** One end of a branch, as perf prints it: `401260 leaf+0x4 (/opt/demo)`. */
export interface Location {
  readonly address: Address;
  /** NONE for `[unknown]`, and if no symbol was printed. */
  readonly symbol: SymbolId;
  /**
   * Address of the symbol's first byte; NaN if no offset was printed, or an implausibly large one. Without a symbol:
   * the address that the first byte of the file would have, if perf printed an offset in the file.
   */
  readonly start: Address;
}

export interface BranchSites {
  readonly length: number;
  readonly kind: Uint8Array; // BranchKind
  readonly edge: Uint8Array; // TraceEdge
  readonly fromSymbol: Int32Array; // SymbolId | NONE
  readonly toSymbol: Int32Array; // SymbolId | NONE
  readonly from: Float64Array; // Address
  readonly to: Float64Array; // Address
  readonly fromStart: Float64Array; // Address of the function's first byte, or NaN
  readonly toStart: Float64Array;
}

const NOWHERE: Location = { address: 0, symbol: NONE, start: Number.NaN };

/** Each kind of record has one site, the same in every trace: its kind counted from `Gap`. */
const RECORD_KINDS = [
  BranchKind.Gap,
  BranchKind.SwitchOut,
  BranchKind.PreemptOut,
  BranchKind.SwitchIn,
  BranchKind.Exec,
] as const;
export type RecordKind = (typeof RECORD_KINDS)[number];
/** Every trace begins with this many sites of records. */
export const RECORD_SITES = RECORD_KINDS.length;

export function recordSite(kind: RecordKind): SiteId {
  return kind - BranchKind.Gap;
}

export class BranchSitesBuilder {
  private readonly kind = uint8Column();
  private readonly edge = uint8Column();
  private readonly fromSymbol = int32Column();
  private readonly toSymbol = int32Column();
  private readonly from = float64Column();
  private readonly to = float64Column();
  private readonly fromStart = float64Column();
  private readonly toStart = float64Column();

  constructor() {
    for (const kind of RECORD_KINDS) this.add(kind, TraceEdge.None, NOWHERE, NOWHERE);
  }

  add(kind: BranchKind, edge: TraceEdge, from: Location, to: Location): SiteId {
    this.kind.push(kind);
    this.edge.push(edge);
    this.fromSymbol.push(from.symbol);
    this.toSymbol.push(to.symbol);
    this.from.push(from.address);
    this.to.push(to.address);
    this.fromStart.push(from.start);
    this.toStart.push(to.start);
    return this.kind.length - 1;
  }

  /** Returns the sites added so far; shares memory with the builder. */
  build(): BranchSites {
    return {
      length: this.kind.length,
      kind: this.kind.view(),
      edge: this.edge.view(),
      fromSymbol: this.fromSymbol.view(),
      toSymbol: this.toSymbol.view(),
      from: this.from.view(),
      to: this.to.view(),
      fromStart: this.fromStart.view(),
      toStart: this.toStart.view(),
    };
  }
}
