/**
 * What the worker pool of the command line loads: the tasks of src/pipeline/workers/trace-worker.ts, from their bundle.
 */
import { type LoadedCode, loadCode } from './process/load-code.js';

/** The name of the bundled tasks, next to this file; set by scripts/bundle-cli.mjs. */
declare const CODE_FILES: { readonly worker: string };

type Task = (input: unknown) => unknown;

/** A worker has no end of its own: after this task, all its usual code is compiled. */
const LAST_TASK = 'replayThread';

const code: LoadedCode<Record<string, Task>> = loadCode(`${__dirname}/${CODE_FILES.worker}`, 'tasks');

export const tasks: Readonly<Record<string, Task>> = { ...code.exports, [LAST_TASK]: runAndKeep(LAST_TASK) };

function runAndKeep(name: string): Task {
  return async (input) => {
    const result = await code.exports[name]?.(input);
    code.keep();
    return result;
  };
}
