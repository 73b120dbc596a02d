/**
 * Runs the tasks that a worker of SendingWorkers receives, one after the other.
 */
import type { TaskMessage, WorkerAnswer } from './sending-workers.js';
import * as tasks from './tasks.js';
import { toThrow } from './thrown.js';
import { sendWorkBy } from './work.js';
import { Moved } from './workers.js';

type Run = (task: object) => unknown;

/** Returns what the worker calls with each message. `begin`: called before each task. */
export function serveTasks(
  answer: (message: WorkerAnswer, moved: readonly ArrayBuffer[]) => void,
  begin: () => void = () => {},
): (message: TaskMessage) => void {
  sendWorkBy((message) => answer(message, []));
  let last = Promise.resolve();
  const run = async ({ name, task }: TaskMessage) => {
    begin();
    try {
      const result = await ((tasks as unknown as Record<string, Run>)[name] as Run)(task);
      if (result instanceof Moved) answer({ result: result.data }, result.moved);
      else answer({ result }, []);
    } catch (error) {
      answer({ error: toThrow(error) }, []);
    }
  };
  return (message) => {
    last = last.then(() => run(message));
  };
}
