/**
 * The families of commands, in the order in which users need them.
 */
import type { Task } from '../usage/command.js';

export const RECORDING: Task = { title: 'Record' };
export const DRAWING: Task = { title: 'Draw' };
export const CALLS: Task = { title: 'Analyze calls' };
export const EVENTS: Task = {
  title: 'Analyze waits, requests and values',
  about: 'recorded with record --waits or --probe',
};
export const FLEETS: Task = { title: 'Many recordings', about: 'from many builds and hosts' };
export const FILES: Task = { title: 'Convert and inspect' };
export const HELP: Task = { title: 'Help' };

export const TASKS: readonly Task[] = [RECORDING, DRAWING, CALLS, EVENTS, FLEETS, FILES, HELP];
