/**
 * Defines the commands on many recordings: fleet and merge.
 */
import { FleetOptions } from '../options/fleet.js';
import { MERGED_FORMATS, MergeOptions } from '../options/merge.js';
import { answerFormats } from '../output/answer-files.js';
import { outputFormats } from '../output/formats.js';
import { defineCommand } from '../usage/define-command.js';
import { FLEETS } from './tasks.js';

export const FLEET = defineCommand({
  name: 'fleet',
  task: FLEETS,
  summary: 'list functions of many recordings: builds, hosts, outliers, SQL',
  details:
    'Reads the tables that ptflame export wrote, with DuckDB: npm install @duckdb/node-api. Files that are unfinished, damaged, foreign or repeated are named and not counted. docs/fleet.md describes tables and views.',
  examples: [
    ['ptflame fleet DIR', 'functions over all recordings: time, calls, averages, percentiles'],
    ['ptflame fleet DIR --compare build --from 1.4 --against 1.5', 'what became slower: the median over hosts'],
    ['ptflame fleet DIR --outliers', 'hosts on which a function takes much longer than on the others'],
    [`ptflame fleet DIR --sql 'SELECT host, sum(total_ns) FROM recordings GROUP BY host'`, 'any other question'],
  ],
  arguments: [
    {
      property: 'directory',
      placeholder: 'DIR',
      description: 'the folder of ptflame export RECORDING… --to parquet:DIR',
      isFile: true,
    },
  ],
  schema: FleetOptions,
  formats: answerFormats,
  run: async (options, signal) => (await import('../commands/fleet.js')).fleet(options, signal),
});

export const MERGE = defineCommand({
  name: 'merge',
  task: FLEETS,
  summary: 'draw the call tree of many recordings: tables of export, or profiles',
  details: 'Groups are drawn as threads are: a root frame for each command name, host or build.',
  examples: [
    ['ptflame merge DIR -o fleet.html', 'all recordings of a folder, by command name'],
    ['ptflame merge DIR --by build -o builds.svg', 'a root frame for each build'],
    ['ptflame merge a.json b.json c.json -o all.json', 'profiles that ptflame render -o FILE.json wrote'],
  ],
  arguments: [
    {
      property: 'inputs',
      placeholder: 'INPUT',
      description: 'the folder of ptflame export RECORDING… --to parquet:DIR, or JSON profiles',
      isMany: true,
      isFile: true,
    },
  ],
  schema: MergeOptions,
  formats: (options) => outputFormats(options, MERGED_FORMATS),
  run: async (options, signal) =>
    (await import('../commands/merge.js')).merge(options, outputFormats(options, MERGED_FORMATS), signal),
});
