/**
 * `ptflame serve`: the report page of an imported trace, and every call of any window, for browsers on this machine.
 */

import type { LevelsFile } from '../../src/levels/read.js';
import { PtflameError } from '../../src/model/errors.js';
import { openTraceFile } from '../../src/pipeline/open-text.js';
import { limitMemory } from '../../src/pipeline/workers/memory-budget.js';
import { isTraceFile } from '../../src/trace/file/format.js';
import { firstBytes } from '../input/data-file.js';
import { refuseOtherKind } from '../input/other-kinds.js';
import { ServeOptions } from '../options/serve.js';
import { statOrNull } from '../output/file-identity.js';
import { refuseOtherName } from '../output/kinds.js';
import { refuseOverwriting } from '../output/refuse-overwriting.js';
import { openLevels } from '../serve/open-levels.js';
import { type RunningServer, startServer } from '../serve/server.js';
import { untilEnd } from '../serve/until-end.js';
import { notify } from '../terminal/notify.js';
import { defineCommand } from '../usage/define-command.js';

export const command = defineCommand({
  details:
    'Its stack charts zoom in to single calls. The address that it prints opens on this machine only. All calls are kept in TRACE.levels for the next start. Ctrl-C ends the server.',
  examples: [
    ['ptflame serve trace.ptf', 'print an address to open'],
    ['ptflame serve trace.ptf --levels /var/tmp/trace.levels', 'if the directory of the trace is read-only'],
  ],
  arguments: [{ property: 'trace', placeholder: 'TRACE', description: 'an imported trace (.ptf)', isFile: true }],
  schema: ServeOptions,
  run: serve,
});

export async function serve(options: ServeOptions, signal: AbortSignal): Promise<void> {
  const { trace, levels: path = `${trace}.levels`, port, memory, quiet } = options;
  refuseOverwriting([trace], [path]);
  refuseOtherName(path, { does: 'serve keeps all calls', example: 'trace.levels', option: '--levels' }, [trace]);
  limitMemory(memory === undefined ? {} : { memoryBytes: memory });
  if (!isTraceFile(firstBytes(trace))) throw await notImported(trace);
  const server = await startServer(port, notifyOnce(path)); // a port that is in use is reported before the work
  let file: LevelsFile | null = null;
  try {
    file = await openLevels(path, options, signal);
    server.serve(file);
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
