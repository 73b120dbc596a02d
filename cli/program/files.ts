/**
 * Defines the commands that convert and inspect files.
 */
import { ExportOptions } from '../options/export.js';
import { ImportOptions } from '../options/import.js';
import { InfoOptions } from '../options/info.js';
import { PackOptions } from '../options/pack.js';
import { answerFormats } from '../output/answer-files.js';
import { defineCommand } from '../usage/define-command.js';
import { INPUTS, TRACES } from './arguments.js';
import { FILES, FLEETS } from './tasks.js';

export const IMPORT = defineCommand({
  name: 'import',
  task: FILES,
  summary: 'decode a trace once, into a file that is much faster to read',
  examples: [
    ['ptflame import perf.data -o trace.ptf', 'any trace that render reads'],
    ['ptflame render trace.ptf -o flame.html', 'the same picture as from perf.data'],
  ],
  arguments: [TRACES],
  schema: ImportOptions,
  run: async (options, signal) => (await import('../commands/import.js')).importInputs(options, signal),
});

export const EXPORT = defineCommand({
  name: 'export',
  task: FLEETS,
  summary: 'write tables of recordings into a folder, for databases and fleets',
  details:
    'Each input is one recording. Tables are Parquet files, which DuckDB, ClickHouse, Spark and others read: docs/parquet.md. What the folder has already is kept.',
  examples: [
    ['ptflame export perf.data --to parquet:fleet --build v1.2', 'functions, call paths and durations of a recording'],
    ['ptflame export *.data --to parquet:fleet --host web1', 'of several'],
  ],
  arguments: [
    {
      ...INPUTS,
      placeholder: 'RECORDING',
      description: 'a recording (perf.data), a pack, an imported trace (.ptf), a JSON profile, or text of perf script',
    },
  ],
  schema: ExportOptions,
  run: async (options, signal) => (await import('../commands/export.js')).exportRecordings(options, signal),
});

export const PACK = defineCommand({
  name: 'pack',
  task: FILES,
  summary: 'pack a recording and the binaries that decoding needs into one file',
  details: 'The pack can be rendered on any machine, without Intel PT, perf or the binaries.',
  examples: [
    ['ptflame pack perf.data -o trace.pack', 'on the machine that recorded it'],
    ['ptflame render trace.pack -o flame.html', 'on any machine'],
  ],
  arguments: [
    { property: 'recording', placeholder: 'RECORDING', description: 'a recording (perf.data)', isFile: true },
  ],
  schema: PackOptions,
  run: async (options, signal) => (await import('../commands/pack.js')).pack(options, signal),
});

export const INFO = defineCommand({
  name: 'info',
  task: FILES,
  summary: 'say what a file is, and describe it without decoding it',
  examples: [
    ['ptflame info perf.data', 'machine, settings, losses, threads, and the cost of decoding'],
    ['ptflame info fleet', 'a folder of tables; any other input, too'],
  ],
  arguments: [
    {
      property: 'file',
      placeholder: 'FILE',
      description: 'any input: a recording, a pack, a trace, text, a profile, a levels file, a folder of tables',
      isFile: true,
    },
  ],
  schema: InfoOptions,
  formats: answerFormats,
  run: async (options, signal) => (await import('../commands/info.js')).info(options, signal),
});
