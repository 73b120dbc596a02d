/**
 * Names the reasons of waits.
 */
import { Reason } from '../../../waits/reasons/reason.js';

/** By Reason; empty: not known. */
export const REASON_NAMES: readonly string[] = Object.assign([], {
  [Reason.Unknown]: '',
  [Reason.Mutex]: 'mutex',
  [Reason.RwLock]: 'read-write lock',
  [Reason.Condition]: 'condition',
  [Reason.Semaphore]: 'semaphore',
  [Reason.Barrier]: 'barrier',
  [Reason.Join]: 'join',
  [Reason.Futex]: 'futex',
  [Reason.Poll]: 'poll',
  [Reason.Socket]: 'socket',
  [Reason.Sleep]: 'sleep',
  [Reason.File]: 'file',
  [Reason.Child]: 'child process',
});
