/**
 * Defines the commands that draw: render and demo.
 */
import { DemoOptions } from '../options/demo.js';
import { RenderOptions } from '../options/render.js';
import { ServeOptions } from '../options/serve.js';
import { FORMATS, outputFormats } from '../output/formats.js';
import { defineCommand } from '../usage/define-command.js';
import { INPUTS } from './arguments.js';
import { DRAWING } from './tasks.js';

export const DEMO = defineCommand({
  name: 'demo',
  task: DRAWING,
  summary: 'draw the bundled trace, on any machine, without perf',
  examples: [
    ['ptflame demo', 'write flame.html'],
    ['ptflame demo -o -', 'print its folded stacks'],
  ],
  schema: DemoOptions,
  run: async ({ output = ['flame.html'], ...general }, signal) => {
    const options = RenderOptions().parse({ inputs: ['the bundled trace'], output, annotate: true, ...general });
    await (await import('../commands/demo.js')).demo(options, outputFormats(options, FORMATS), signal);
  },
});

export const RENDER = defineCommand({
  name: 'render',
  task: DRAWING,
  summary: 'draw a flame graph, or write folded stacks, a profile or the file of another tool',
  examples: [
    ['ptflame render perf.data -o flame.html', 'an interactive report for the browser'],
    [
      'ptflame render trace.txt -o out.folded -o flame.svg --icicle',
      'folded stacks, and a picture with callers on top',
    ],
    ['perf script … | ptflame render - > out.folded', 'in a pipe'],
    ['ptflame render cpu*.txt.gz --by thread -o threads.svg', 'several files, with a root frame per thread'],
    ['ptflame render trace.txt -o out.json', 'the complete profile, which can be rendered instead of the trace'],
    ['ptflame render trace.ptf -o out.pb.gz', 'for pprof; docs/exports.md lists what other tools read'],
    [
      'ptflame render trace.ptf -o out.pftrace -o out.firefox.json --min-call 1us',
      'calls over time, for Perfetto and for Firefox Profiler',
    ],
  ],
  arguments: [INPUTS],
  schema: RenderOptions,
  formats: (options) => outputFormats(options, FORMATS),
  run: async (options, signal) =>
    (await import('../commands/render.js')).render(options, outputFormats(options, FORMATS), signal),
});

export const SERVE = defineCommand({
  name: 'serve',
  task: DRAWING,
  summary: 'serve the report page of an imported trace, and all of its calls, to browsers on this machine',
  details:
    'Its stack charts zoom in to single calls. The address that it prints opens on this machine only. All calls are kept in TRACE.levels for the next start. Ctrl-C ends the server.',
  examples: [
    ['ptflame serve trace.ptf', 'print an address to open'],
    ['ptflame serve trace.ptf --levels /var/tmp/trace.levels', 'if the directory of the trace is read-only'],
  ],
  arguments: [{ property: 'trace', placeholder: 'TRACE', description: 'an imported trace (.ptf)', isFile: true }],
  schema: ServeOptions,
  run: async (options, signal) => (await import('../commands/serve.js')).serve(options, signal),
});
