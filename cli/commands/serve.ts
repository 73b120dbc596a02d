/**
 * `ptflame serve`: for browsers on this machine, the report page of an imported trace with every call of any window, or the
 * offline page.
 */

import { isatty } from 'node:tty';
import * as z from 'zod';
import type { LevelsFile } from '../../src/levels/read.js';
import { PtflameError } from '../../src/model/errors.js';
import { firstBytes } from '../../src/perfdata/open-recording.js';
import { openTraceFile } from '../../src/pipeline/open-text.js';
import { limitMemory } from '../../src/pipeline/workers/memory-budget.js';
import { isTraceFile } from '../../src/trace/file/format.js';
import { refuseOtherKind } from '../input/other-kinds.js';
import { general, replaying, resources, source } from '../options/shared.js';
import { path } from '../options/values.js';
import { refuseOtherName } from '../output/formats.js';
import { refuseOverwriting, statOrNull } from '../output/refuse-overwriting.js';
import { handleInterrupts } from '../process/interrupts.js';
import { openLevels } from '../serve/open-levels.js';
import { type RunningServer, startServer } from '../serve/server.js';
import { offlineAnswer, traceSite } from '../serve/trace-site.js';
import { notify } from '../terminal/notify.js';
import { defineCommand } from '../usage/define-command.js';
import { flag, group } from '../usage/flag.js';

/** The options of `ptflame serve`. */
export const ServeOptions = z.object({
  trace: path.optional(),
  ...group('Server', {
    port: flag(
      z
        .number('must be a number')
        .int('must be a whole number')
        .min(0, 'must be 0 or more')
        .max(65_535, 'must be 65535 or less')
        .default(0),
      'port on 127.0.0.1 (default: any that is free)',
      { common: 'port on 127.0.0.1' },
    ),
    levels: flag(
      path.optional(),
      'where all calls are kept, so that the next start need not replay the trace (default: TRACE.levels)',
      { value: 'FILE', common: 'where to keep all calls (default: TRACE.levels)' },
    ),
  }),
  ...group('Appearance', {
    source: source(),
    symfs: flag(path.optional(), 'with --source: look for binaries below DIR instead of /', { value: 'DIR' }),
  }),
  ...replaying(),
  ...resources(),
  ...general(),
});
export type ServeOptions = z.infer<typeof ServeOptions>;

export const command = defineCommand({
  details:
    'Its stack charts zoom in to single calls. The address that it prints opens on this machine only. All calls are kept in TRACE.levels for the next start. Without TRACE, it serves the page of ptflame page, on which recordings are dropped; with TRACE, View opens that page. Ctrl-C ends the server.',
  examples: [
    ['ptflame serve trace.ptf', 'print an address to open'],
    ['ptflame serve', 'a page to drop recordings on, decoded on all cores'],
    ['ptflame serve trace.ptf --levels /var/tmp/trace.levels', 'if the directory of the trace is read-only'],
  ],
  arguments: [
    {
      property: 'trace',
      placeholder: 'TRACE',
      description: 'an imported trace (.ptf)',
      isFile: true,
      isOptional: true,
    },
  ],
  schema: ServeOptions,
  run: serve,
});

export async function serve(options: ServeOptions, signal: AbortSignal): Promise<void> {
  const { trace } = options;
  if (trace === undefined) await serveOfflinePage(options);
  else await serveTrace({ ...options, trace }, signal);
}

async function serveOfflinePage({ port, levels, source, quiet }: ServeOptions): Promise<void> {
  const refuse = (option: string, what: string) => {
    throw new PtflameError('BAD_OPTION', `${option} ${what} of a trace, and none is named`, {
      hint: `name an imported trace, or leave out ${option}`,
    });
  };
  if (levels !== undefined) refuse('--levels', 'keeps the calls');
  if (source !== undefined) refuse('--source', 'shows the source code');
  const page = await offlineAnswer();
  const server = await startServer(port);
  try {
    server.serve({ headers: {}, find: (path) => (path === '/' ? page : null) });
    await untilEnded(server, quiet);
  } finally {
    server.close();
  }
}

async function serveTrace(options: ServeOptions & { readonly trace: string }, signal: AbortSignal): Promise<void> {
  const { trace, levels: path = `${trace}.levels`, port, memory, quiet } = options;
  refuseOverwriting([trace], [path]);
  refuseOtherName(path, { does: 'serve keeps all calls', example: 'trace.levels', option: '--levels' }, [trace]);
  limitMemory(memory === undefined ? {} : { memoryBytes: memory });
  if (!isTraceFile(firstBytes(trace))) throw await notImported(trace);
  const server = await startServer(port, notifyOnce(path)); // a port that is in use is reported before the work
  let file: LevelsFile | null = null;
  try {
    file = await openLevels(path, { ...options, trace }, signal);
    server.serve(traceSite(file, await offlineAnswer()));
    await untilEnded(server, quiet);
  } finally {
    server.close();
    await file?.close();
  }
}

/** A page asks again and again. */
function notifyOnce(path: string): (trouble: PtflameError) => void {
  let isTold = false;
  return ({ message, hint }) => {
    if (!isTold) notify(`${path}: ${message}: ${hint}`);
    isTold = true;
  };
}

async function untilEnded({ port, token }: RunningServer, quiet: boolean): Promise<void> {
  const ended = untilEnd();
  process.stdout.write(`http://127.0.0.1:${port}/${token}/\n`);
  if (!quiet) notify('open this address in a browser on this machine; Ctrl-C ends the server');
  await ended;
}

/** @throws PtflameError INPUT_UNREADABLE if there is no such file */
async function notImported(trace: string): Promise<PtflameError> {
  await refuseOtherKind(trace);
  if (statOrNull(trace)?.isFIFO() !== true) await openTraceFile(trace); // a pipe would wait for its writer
  return new PtflameError('INPUT_KIND', `${trace} is not an imported trace`, {
    hint: 'import it once: ptflame import INPUT… -o trace.ptf; then ptflame serve trace.ptf',
  });
}

const TERMINAL_POLL_MS = 1000;
const STANDARD_INPUT = 0;

/**
 * Waits for the end of a server: Ctrl-C, a signal, or the end of its terminal.
 *
 * A terminal is polled: reading from it would stop a process in the background.
 */
function untilEnd(): Promise<void> {
  const hasTerminal = isatty(STANDARD_INPUT);
  return new Promise((done) => {
    const poll = setInterval(() => {
      if (hasTerminal && !isatty(STANDARD_INPUT)) end();
    }, TERMINAL_POLL_MS);
    const stop = handleInterrupts(() => end());
    const end = () => {
      clearInterval(poll);
      stop();
      done();
    };
  });
}
