/**
 * All commands of the program; the files next to this one define them.
 */
import type { Command, Program } from '../usage/command.js';
import { EXIT_MEANINGS } from '../usage/exit-codes.js';
import { DIFF, LATENCY, REPORT, STACKS } from './calls.js';
import { DEMO, RENDER, SERVE } from './draw.js';
import { EXPORT, IMPORT, INFO, PACK } from './files.js';
import { FLEET, MERGE } from './fleet.js';
import { defineCompletion, defineHelp } from './help.js';
import { DOCTOR, RECORD } from './record.js';
import { TASKS } from './tasks.js';
import { LOCKS, REQUESTS, VALUES, WAITS } from './waits.js';

/** In help, commands of a task keep this order. */
const COMMANDS: readonly Command[] = [
  DEMO,
  DOCTOR,
  RECORD,
  RENDER,
  SERVE,
  REPORT,
  LATENCY,
  STACKS,
  WAITS,
  REQUESTS,
  LOCKS,
  VALUES,
  DIFF,
  EXPORT,
  FLEET,
  MERGE,
  IMPORT,
  PACK,
  INFO,
  defineHelp(() => PROGRAM),
  defineCompletion(() => PROGRAM),
];

export const PROGRAM: Program = { tasks: TASKS, commands: COMMANDS, exitCodes: EXIT_MEANINGS };
