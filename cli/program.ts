/**
 * All commands, by what they are for: `cli/commands/NAME.ts` has the options, the help and the work of each, and is
 * loaded when it is needed.
 */
import type { CommandEntry, Program, Task } from './usage/command.js';
import { EXIT_MEANINGS } from './usage/exit-codes.js';

const RECORDING: Task = { title: 'Record' };
const DRAWING: Task = { title: 'Draw' };
const CALLS: Task = { title: 'Analyze calls' };
const EVENTS: Task = {
  title: 'Analyze waits, requests and values',
  about: 'recorded with record --waits or --probe',
};
const FLEETS: Task = { title: 'Many recordings', about: 'from many builds and hosts' };
const FILES: Task = { title: 'Convert and inspect' };
const HELP: Task = { title: 'Help' };

const entry = (name: string, task: Task, summary: string, load: CommandEntry['load']): CommandEntry => ({
  name,
  task,
  summary,
  load,
});

/** In help, commands of a task keep this order. */
const COMMANDS: readonly CommandEntry[] = [
  entry('demo', DRAWING, 'draw the bundled trace, on any machine, without perf', () => import('./commands/demo.js')),
  entry(
    'doctor',
    RECORDING,
    'check whether this machine can record, and what to fix',
    () => import('./commands/doctor.js'),
  ),
  entry(
    'record',
    RECORDING,
    'record a process, threads, CPUs or a command with Intel PT',
    () => import('./commands/record.js'),
  ),
  entry(
    'render',
    DRAWING,
    'draw a flame graph, or write folded stacks, a profile or the file of another tool',
    () => import('./commands/render.js'),
  ),
  entry(
    'serve',
    DRAWING,
    'serve an imported trace with all of its calls, or the offline page, to browsers on this machine',
    () => import('./commands/serve.js'),
  ),
  entry(
    'page',
    DRAWING,
    'write the offline page, which decodes the recordings that are dropped on it',
    () => import('./commands/page.js'),
  ),
  entry('report', CALLS, 'list functions: time, calls, averages, percentiles', () => import('./commands/report.js')),
  entry('latency', CALLS, 'show how long the calls of a function took, and why', () => import('./commands/latency.js')),
  entry('stacks', CALLS, "show every thread's stack at one moment", () => import('./commands/stacks.js')),
  entry('waits', EVENTS, 'show why threads waited, where, and who woke them', () => import('./commands/waits.js')),
  entry(
    'requests',
    EVENTS,
    'follow requests through threads, with what others did for them',
    () => import('./commands/requests.js'),
  ),
  entry(
    'locks',
    EVENTS,
    'show the locks that threads waited for, and who held them',
    () => import('./commands/locks.js'),
  ),
  entry(
    'values',
    EVENTS,
    'show which values an argument of a probe or tracepoint had, and how often',
    () => import('./commands/values.js'),
  ),
  entry(
    'diff',
    CALLS,
    'compare two traces, or two parts of one, as a table or picture',
    () => import('./commands/diff.js'),
  ),
  entry(
    'export',
    FLEETS,
    'write tables of recordings into a folder, for databases and fleets',
    () => import('./commands/export.js'),
  ),
  entry(
    'fleet',
    FLEETS,
    'list functions of many recordings: builds, hosts, outliers, SQL',
    () => import('./commands/fleet.js'),
  ),
  entry(
    'merge',
    FLEETS,
    'draw the call tree of many recordings: tables of export, or profiles',
    () => import('./commands/merge.js'),
  ),
  entry(
    'import',
    FILES,
    'decode a trace once, into a file that is much faster to read',
    () => import('./commands/import.js'),
  ),
  entry(
    'pack',
    FILES,
    'pack a recording and the binaries that decoding needs into one file',
    () => import('./commands/pack.js'),
  ),
  entry('info', FILES, 'say what a file is, and describe it without decoding it', () => import('./commands/info.js')),
  entry('help', HELP, 'explain ptflame or one of its commands', () => import('./commands/help.js')),
  entry('completion', HELP, 'print a script for shell completion', () => import('./commands/completion.js')),
];

export const PROGRAM: Program = {
  tasks: [RECORDING, DRAWING, CALLS, EVENTS, FLEETS, FILES, HELP],
  commands: COMMANDS,
  exitCodes: EXIT_MEANINGS,
};
