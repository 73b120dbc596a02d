/**
 * Maps kinds of instructions to kinds of branches, as perf's flags name them.
 */
import { BranchKind, TraceEdge } from '../model/trace/branch-sites.js';
import {
  KIND_ASYNC,
  KIND_CALL,
  KIND_CALL_INDIRECT,
  KIND_FAR_CALL,
  KIND_FAR_RETURN,
  KIND_INTERRUPT,
  KIND_IRET,
  KIND_NONE,
  KIND_RETURN,
  KIND_SYSCALL,
  KIND_SYSRET,
  KIND_VMENTRY,
} from './wasm/layout.js';

const KINDS: ReadonlyMap<number, BranchKind> = new Map([
  [KIND_NONE, BranchKind.None],
  [KIND_CALL, BranchKind.Call],
  [KIND_CALL_INDIRECT, BranchKind.Call],
  [KIND_FAR_CALL, BranchKind.Call],
  [KIND_RETURN, BranchKind.Return],
  [KIND_FAR_RETURN, BranchKind.Return],
  [KIND_SYSCALL, BranchKind.Syscall],
  [KIND_SYSRET, BranchKind.Sysret],
  [KIND_IRET, BranchKind.Iret],
  [KIND_INTERRUPT, BranchKind.Interrupt],
  [KIND_VMENTRY, BranchKind.VmEntry],
]);

/** An asynchronous branch is an interrupt ("hw int") unless the trace ends with it ("tr end  async"). */
export function branchKind(kind: number, edge: number): BranchKind {
  if (kind === KIND_ASYNC) return edge === TraceEdge.None ? BranchKind.Interrupt : BranchKind.Async;
  return KINDS.get(kind) ?? BranchKind.Jump;
}

const EDGES = [TraceEdge.None, TraceEdge.Begin, TraceEdge.End, TraceEdge.BeginAndEnd] as const;

export function traceEdge(edge: number): TraceEdge {
  return EDGES[edge] ?? TraceEdge.None;
}
