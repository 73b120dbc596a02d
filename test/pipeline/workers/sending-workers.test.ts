/**
 * Workers that are sent what they need: which one gets a task, and what it is sent.
 */
import { expect, test } from 'vitest';
import {
  type HostWorker,
  SendingWorkers,
  type TaskMessage,
  type WorkerAnswer,
} from '../../../src/pipeline/workers/sending-workers.js';
import { newSetup, setUp } from '../../../src/pipeline/workers/setup.js';
import type { Work } from '../../../src/pipeline/workers/work.js';
import { Moved } from '../../../src/pipeline/workers/workers.js';

/** A worker that keeps what it is sent, and answers when told. */
interface Fake {
  readonly got: TaskMessage[];
  readonly answer: (answer: WorkerAnswer) => void;
  readonly fail: (error: unknown) => void;
  isTerminated: boolean;
}

function pool({ size = 2, first = 1, most = 1, onWork = (_: Work) => {} }) {
  const fakes: Fake[] = [];
  const start = (answer: Fake['answer'], fail: Fake['fail']): HostWorker => {
    const fake: Fake = { got: [], answer, fail, isTerminated: false };
    fakes.push(fake);
    const terminate = async () => {
      fake.isTerminated = true;
    };
    return { send: (message) => fake.got.push(message), terminate };
  };
  const workers = new SendingWorkers({ size, first, budget: null, tasksAtWorker: () => most, onWork }, start);
  const run = (task: object) => workers.run('wake', () => ({ data: task, moved: [] }));
  return { workers, fakes, run };
}

const got = (fakes: readonly Fake[]) => fakes.map(({ got }) => got.map(({ task }) => (task as { n: number }).n));

test('each worker gets a task before another waits at one, and workers start only when they are needed', () => {
  const { fakes, run } = pool({ most: 2 });
  for (const n of [1, 2, 3, 4, 5]) run({ n });
  expect(got(fakes)).toEqual([
    [1, 3],
    [2, 4],
  ]);
  fakes[1]?.answer({ result: null });
  expect(got(fakes)).toEqual([
    [1, 3],
    [2, 4, 5],
  ]);
});

test('a task is made only when a worker is free', async () => {
  const { workers, fakes, run } = pool({ size: 1 });
  run({ n: 1 });
  let isMade = false;
  workers.run('wake', () => {
    isMade = true;
    return { data: {}, moved: [] };
  });
  expect(isMade).toBe(false);
  fakes[0]?.answer({ result: null });
  expect(isMade).toBe(true);
});

test('answers go to their tasks, also errors', async () => {
  const { fakes, run } = pool({ size: 1, most: 2 });
  const results = [run({ n: 1 }), run({ n: 2 })];
  fakes[0]?.answer({ error: new Error('a damaged trace') });
  fakes[0]?.answer({ result: 'two' });
  await expect(results[0]).rejects.toThrow('a damaged trace');
  expect(await results[1]).toBe('two');
});

test('what a worker tells of its work is no answer', async () => {
  const told: Work[] = [];
  const { fakes, run } = pool({ size: 1, onWork: (work) => told.push(work) });
  const result = run({ n: 1 });
  fakes[0]?.answer({ work: { tid: 7, rows: 100 } });
  fakes[0]?.answer({ result: 'one' });
  expect(await result).toBe('one');
  expect(told).toEqual([{ tid: 7, rows: 100 }]);
});

test('a task that cannot be made or sent fails alone', async () => {
  const { workers, run, fakes } = pool({ size: 1 });
  const failing = workers.run('wake', () => {
    throw new Error('no memory');
  });
  await expect(failing).rejects.toThrow('no memory');
  const next = run({ n: 1 });
  fakes[0]?.answer({ result: 1 });
  expect(await next).toBe(1);
});

test('tasks of a worker that has failed fail, also those that waited for it', async () => {
  const { fakes, run } = pool({ size: 1 });
  const [begun, waiting] = [run({ n: 1 }), run({ n: 2 })];
  fakes[0]?.fail(new Error('out of memory'));
  await expect(begun).rejects.toThrow('out of memory');
  await expect(waiting).rejects.toThrow('out of memory');
});

test('tasks of workers that are closed fail', async () => {
  const { workers, fakes, run } = pool({ size: 1 });
  const tasks = [run({ n: 1 }), run({ n: 2 })];
  const failures = tasks.map((task) => expect(task).rejects.toThrow('ended'));
  await workers.close();
  await Promise.all(failures);
  expect(fakes[0]?.isTerminated).toBe(true);
});

test('a worker is sent a setup once, and again after another one of its kind', () => {
  const { fakes, run } = pool({ size: 1, most: 9 });
  const [one, two] = [newSetup('facts', 'one'), newSetup('facts', 'two')];
  for (const facts of [one, one, two, one]) run({ facts });
  const sent = fakes[0]?.got.map(({ task }) => (task as { facts: typeof one }).facts) ?? [];
  expect(sent.map(({ data }) => data)).toEqual(['one', undefined, 'two', 'one']);
  expect(sent.map((facts) => setUp(facts))).toEqual(['one', 'one', 'two', 'one']);
});

test('a result moves the memory of its columns, each once', () => {
  const column = new Int32Array(4);
  const result = { events: column, same: { again: column.subarray(1) }, empty: new Int32Array(), length: 4 };
  expect(new Moved(result).moved).toEqual([column.buffer]);
});
