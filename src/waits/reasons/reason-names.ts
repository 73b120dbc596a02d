/**
 * Names the reasons of waits.
 */
import { Reason } from './reason.js';

const NAMES: Readonly<Record<Reason, string>> = {
  [Reason.Unknown]: 'unknown',
  [Reason.Mutex]: 'mutex',
  [Reason.RwLock]: 'rwlock',
  [Reason.Condition]: 'condition',
  [Reason.Semaphore]: 'semaphore',
  [Reason.Barrier]: 'barrier',
  [Reason.Join]: 'join',
  [Reason.Futex]: 'futex',
  [Reason.Poll]: 'poll',
  [Reason.Socket]: 'socket',
  [Reason.Sleep]: 'sleep',
  [Reason.File]: 'file',
  [Reason.Child]: 'child',
};

export function reasonName(reason: number): string {
  return NAMES[reason as Reason];
}
