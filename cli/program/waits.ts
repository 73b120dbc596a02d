/**
 * Defines the commands that answer questions about waits, locks, requests and values.
 */
import { LocksOptions } from '../options/questions/locks.js';
import { RequestsOptions, requestsPattern } from '../options/questions/requests.js';
import { ValuesOptions } from '../options/questions/values.js';
import { WaitsOptions } from '../options/questions/waits.js';
import { answerFormats } from '../output/answer-files.js';
import { defineCommand } from '../usage/define-command.js';
import { TRACES } from './arguments.js';
import { EVENTS } from './tasks.js';

export const WAITS = defineCommand({
  name: 'waits',
  task: EVENTS,
  summary: 'show why threads waited, where, and who woke them',
  details:
    'The input must be recorded with ptflame record --waits. Functions are known if it has an Intel PT trace, too.',
  examples: [
    ['ptflame waits perf.data', 'by reason, by waker, by place and by thread'],
    ['ptflame waits perf.data --slowest 3', 'what the longest waits consisted of: who did what meanwhile'],
    ['ptflame waits perf.data --inside do_command --slowest 3', 'the same of calls of a function'],
    ['ptflame waits perf.data --points trx_commit,log_write,fsync', 'the stages of a commit'],
  ],
  arguments: [TRACES],
  schema: WaitsOptions,
  formats: answerFormats,
  run: async (options, signal) => (await import('../commands/questions.js')).waits(options, signal),
});

export const REQUESTS = defineCommand({
  name: 'requests',
  task: EVENTS,
  summary: 'follow requests through threads, with what others did for them',
  details:
    'Shows where the time of typical and of slow requests goes, and all that happened in the slowest. The work of other threads is found if the input was recorded with ptflame record --waits.',
  examples: [
    ['ptflame requests handle_request perf.data', 'distribution, and where the time goes'],
    ['ptflame requests do_command perf.data --slowest 1 --min-call 100us', 'the slowest one, without short calls'],
    [
      'ptflame requests handle_request perf.data --flow queue_push:job=run_job:job --slowest 3',
      'with the work that was handed on by a queue, found by the argument job of two probes',
    ],
    [
      'ptflame requests handle_request perf.data --flow queue_push:job=run_job:job -o requests.jsonl',
      'all as spans, for a collector of OpenTelemetry, Jaeger or Tempo',
    ],
    [
      'ptflame requests handle_request perf.data --flow queue_push:job=run_job:job -o requests.pftrace',
      'all over time, with arrows from thread to thread, for https://ui.perfetto.dev',
    ],
    [
      "ptflame requests get_page web.data db.data --flow send:id=recv:id --id '^00-(\\w+-\\w+)'",
      'through two hosts, by the ids of messages; clocks are related by what was sent and came back',
    ],
  ],
  arguments: [
    {
      property: 'function',
      placeholder: 'ROOT',
      description: 'each of its calls is a request: an exact name or /a regular expression/',
      short: 'each of its calls is a request: a name or /a regular expression/',
    },
    TRACES,
  ],
  schema: RequestsOptions,
  formats: answerFormats,
  run: async (options, signal) =>
    (await import('../commands/questions.js')).requests(options, requestsPattern(options), signal),
});

export const LOCKS = defineCommand({
  name: 'locks',
  task: EVENTS,
  summary: 'show the locks that threads waited for, and who held them',
  details:
    'Shows for each lock how long threads waited, who held it, and what the holders did meanwhile. The input must be recorded with ptflame record --waits.',
  examples: [
    ['ptflame locks perf.data', 'by time waited'],
    ['ptflame locks perf.data --lock 0x55d0c0f0a0e0', 'one lock: all its holders and waiters'],
    ['ptflame locks perf.data --slowest 5', 'the longest waits, and for whom'],
  ],
  arguments: [TRACES],
  schema: LocksOptions,
  formats: answerFormats,
  run: async (options, signal) => (await import('../commands/questions.js')).locks(options, signal),
});

export const VALUES = defineCommand({
  name: 'values',
  task: EVENTS,
  summary: 'show which values an argument of a probe or tracepoint had, and how often',
  details: 'Shows their distribution, by value, thread or function. The input needs no Intel PT trace.',
  examples: [
    ['ptflame values push:job perf.data', 'distribution of the argument job of the probe push'],
    ['ptflame values read:bytes perf.data --step 4096', 'in steps of 4096 instead of powers of two'],
    ['ptflame values sched:sched_switch:prev_state perf.data --by thread', 'a field of a tracepoint, for each thread'],
    ['ptflame values alloc:size perf.data --by function', 'from where the probed function was called'],
  ],
  arguments: [
    {
      property: 'field',
      placeholder: 'EVENT:FIELD',
      description: 'a probe or tracepoint, and one of its values; :FIELD may be omitted if it is the only one',
      short: 'a probe or tracepoint, and one of its values',
    },
    TRACES,
  ],
  schema: ValuesOptions,
  formats: answerFormats,
  run: async (options, signal) => (await import('../commands/questions.js')).values(options, signal),
});
