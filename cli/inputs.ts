/**
 * INPUT arguments → streams of trace text.
 */
import { constants, openSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { type OpenedInput, openTraceFile, PtflameError, traceStream } from '../src/index.js';

/** `-` is standard input; everything else is a path. */
export async function openInputs(paths: readonly string[]): Promise<OpenedInput[]> {
  if (paths.filter((path) => path === '-').length > 1)
    throw new PtflameError('BAD_OPTION', 'standard input (-) can be read only once', { hint: 'name it once' });
  const inputs: OpenedInput[] = [];
  for (const path of paths) inputs.push(path === '-' ? openStdin() : await openPath(path));
  return inputs;
}

/** A named pipe is read as standard input is: a plain read waits where not even process.exit() can end the waiting. */
async function openPath(path: string): Promise<OpenedInput> {
  const pipe = await openIfPipe(path).catch(() => null); // what is wrong with it, openTraceFile says
  if (pipe === null) return openTraceFile(path);
  return traceStream(path, new Socket({ fd: pipe, readable: true, writable: false }));
}

async function openIfPipe(path: string): Promise<number | null> {
  return (await stat(path)).isFIFO() ? openSync(path, constants.O_RDONLY | constants.O_NONBLOCK) : null;
}

/** The size of all inputs together; null if one of them is a stream. */
export function totalSize(inputs: readonly OpenedInput[]): number | null {
  return inputs.reduce<number | null>(
    (sum, { sizeBytes }) => (sum === null || sizeBytes === null ? null : sum + sizeBytes),
    0,
  );
}

function openStdin(): OpenedInput {
  if (process.stdin.isTTY)
    throw new PtflameError('BAD_OPTION', 'standard input is a terminal', {
      hint: 'pipe a trace in: perf script … | ptflame render -',
    });
  return traceStream('standard input', process.stdin);
}
