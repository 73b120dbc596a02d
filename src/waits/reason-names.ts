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
  [Reason.Socket]: 'network read',
  [Reason.Sleep]: 'sleep',
  [Reason.File]: 'file',
  [Reason.Child]: 'child',
  [Reason.NetworkWrite]: 'network write',
  [Reason.Accept]: 'accept',
  [Reason.Connect]: 'connect',
  [Reason.Pipe]: 'pipe',
  [Reason.Terminal]: 'terminal',
  [Reason.Disk]: 'disk',
  [Reason.Fsync]: 'fsync',
  [Reason.AsyncIo]: 'async I/O',
  [Reason.FileLock]: 'file lock',
  [Reason.PageFault]: 'page fault',
  [Reason.Signal]: 'signal',
  [Reason.Event]: 'event',
  [Reason.KernelLock]: 'kernel lock',
  [Reason.Stopped]: 'stopped',
  [Reason.Other]: 'other',
};

export function reasonName(reason: number): string {
  return NAMES[reason as Reason];
}
