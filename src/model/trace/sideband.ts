/**
 * What the kernel reports to perf in addition to the trace: context switches, thread names, memory mappings.
 */
import type { Address } from '../units.js';

/** `name` and `file`: bytes as latin1 characters. */
export type SidebandRecord =
  | { readonly what: 'switch'; readonly direction: 'in' | 'out' | 'preempted' }
  | { readonly what: 'comm'; readonly exec: boolean; readonly name: string; readonly pid: number; readonly tid: number }
  | {
      readonly what: 'fork';
      readonly pid: number;
      readonly tid: number;
      readonly parentPid: number;
      readonly parent: number;
    }
  | { readonly what: 'exit'; readonly pid: number; readonly tid: number }
  /** Tracing of a thread began (ITRACE_START); perf script does not print it. */
  | { readonly what: 'traced'; readonly pid: number; readonly tid: number }
  | {
      readonly what: 'mmap';
      readonly pid: number; // -1: the kernel
      readonly start: Address;
      readonly length: number; // bytes
      readonly fileOffset: number; // of its first byte
      readonly file: string;
    }
  | { readonly what: 'other' };
