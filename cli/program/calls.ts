/**
 * Defines the commands that answer questions about calls.
 */
import { DiffOptions, diffFormats } from '../options/questions/diff.js';
import { LatencyOptions, latencyFormats, latencyPattern } from '../options/questions/latency.js';
import { ReportOptions } from '../options/questions/report.js';
import { StacksOptions } from '../options/questions/stacks.js';
import { answerFormats } from '../output/answer-files.js';
import { defineCommand } from '../usage/define-command.js';
import { INPUTS, TRACES } from './arguments.js';
import { CALLS } from './tasks.js';

export const REPORT = defineCommand({
  name: 'report',
  task: CALLS,
  summary: 'list functions: time, calls, averages, percentiles',
  examples: [
    ['ptflame report perf.data --sort self --top 20', 'where the time goes'],
    ["ptflame report trace.txt --match '^mem_' --by thread", 'some functions, also per thread'],
    ["ptflame report trace.txt --inside 'do_command#1ms,'", 'where slow calls of a function spend their time'],
    ['ptflame report trace.txt -o report.csv', 'for spreadsheets; -o report.json for programs'],
  ],
  arguments: [INPUTS],
  schema: ReportOptions,
  formats: answerFormats,
  run: async (options, signal) => (await import('../commands/questions.js')).report(options, signal),
});

export const LATENCY = defineCommand({
  name: 'latency',
  task: CALLS,
  summary: 'show how long the calls of a function took, and why',
  details: 'Shows the distribution of durations, callees, callers, and how the slowest calls differ.',
  examples: [
    ['ptflame latency do_command perf.data', 'distribution, callees, callers and paths'],
    ['ptflame latency do_command trace.txt --slowest 3', 'the longest calls, compared with the average'],
    ['ptflame latency do_command trace.txt --latency 1ms, --by caller', 'only calls of at least 1 ms, by caller'],
    [
      "ptflame latency trx_commit trace.txt --inside 'do_command#10ms,'",
      'its calls inside slow calls of another function',
    ],
    ["ptflame latency '/^lock_/' trace.txt", 'several functions together'],
    ['ptflame latency do_command trace.txt --timeline', 'when its calls began, and how long they took'],
    ['ptflame latency do_command trace.txt --heatmap -o calls.svg', 'the same as a heat map, in a picture'],
  ],
  arguments: [
    { property: 'function', placeholder: 'FUNCTION', description: 'an exact name or /a regular expression/' },
    TRACES,
  ],
  schema: LatencyOptions,
  formats: latencyFormats,
  run: async (options, signal) =>
    (await import('../commands/questions.js')).latency(options, latencyPattern(options), signal),
});

export const STACKS = defineCommand({
  name: 'stacks',
  task: CALLS,
  summary: "show every thread's stack at one moment",
  details: 'Shows what ran, what waited, and for how long.',
  examples: [
    ['ptflame stacks perf.data --at +10ms', '10 ms after the start of the recording'],
    ['ptflame stacks trace.txt --at 858572.850211', "on perf's clock"],
  ],
  arguments: [TRACES],
  schema: StacksOptions,
  formats: answerFormats,
  run: async (options, signal) => (await import('../commands/questions.js')).stacks(options, signal),
});

export const DIFF = defineCommand({
  name: 'diff',
  task: CALLS,
  summary: 'compare two traces, or two parts of one, as a table or picture',
  details: 'Differences that may be chance are marked: docs/answers.md#noise. Functions match by exact name.',
  examples: [
    ['ptflame diff old.data new.data', 'by change of self time'],
    ['ptflame diff old.json new.json --sort avg', 'functions whose calls became slower or faster'],
    ['ptflame diff old.data new.data -o diff.html', 'a differential flame graph'],
    ["ptflame diff old.json new.json --fail-above 'do_command avg +20%'", 'exits with 3 if it is slower by more'],
    ['ptflame diff trace.ptf --before tid=12 --after tid=34', 'two threads of one trace'],
    [
      "ptflame diff trace.ptf --before 'inside=f#,1ms' --after 'inside=f#10ms,' --per call --root f",
      'fast and slow calls of a function',
    ],
  ],
  arguments: [
    {
      property: 'beforeInput',
      placeholder: 'BEFORE',
      description: 'a trace or profile, any INPUT of render',
      isFile: true,
    },
    {
      property: 'afterInput',
      placeholder: 'AFTER',
      description: 'another one; may be left out with --before and --after',
      isFile: true,
      isOptional: true,
    },
  ],
  schema: DiffOptions,
  formats: diffFormats,
  run: async (options, signal) => (await import('../commands/questions.js')).diff(options, signal),
});
