/**
 * The work of replaying a trace grows linearly with it, however hostile the trace is.
 */
import { describe, expect, test } from 'vitest';
import { profileBlockedTime } from '../../src/index.js';
import { expectSound } from '../helpers/checks/sound.js';
import { workOf } from '../helpers/checks/work.js';
import { analyzeText, inputOf } from '../helpers/traces/load.js';
import { TraceWriter, times } from '../helpers/traces/trace-writer.js';

/** Hostile traces, each of about n lines. Some begin with a deep stack, on which the rest happens. */
const HOSTILE: Readonly<Record<string, (trace: TraceWriter, n: number) => void>> = {
  'calls that never return': (trace, n) => times(n, (i) => trace.call(i % 50, (i + 1) % 50)),
  'returns that match nothing': (trace, n) => times(n, (i) => trace.return(i % 50, (i + 1) % 50, 0x500)),
  'returns and calls that match nothing, on a deep stack': (trace, n) =>
    onDeepStack(trace, n, (i) => (i % 2 ? trace.return(1, 2, 0x500) : trace.call(1, 1))),
  'returns into the function on top, to no call of a deep stack': (trace, n) =>
    onDeepStack(trace, n, () => trace.return(2, 1, 0x500)),
  'returns into the first byte of functions, on a deep stack': (trace, n) =>
    onDeepStack(trace, n, (i) => trace.returnInto(i % 50, (i + 1) % 50)),
  'returns that match far down': (trace, n) =>
    times(n, (i) => {
      const level = i % 500;
      if (level < 499) trace.call(level, level + 1, 0x20);
      else trace.return(499, 0, 0x20);
    }),
  'hidden jumps back and forth': (trace, n) =>
    onDeepStack(trace, n, (i) => (i % 2 ? trace.call(2, 3) : trace.return(4, 2))),
  'hidden jumps in a level that its own return ends': (trace, n) => {
    trace.call(0, 1);
    times(n / 2, (i) => {
      trace.call(2 + (i % 90), 100);
      trace.return(100, 2 + (i % 90));
    });
    trace.return(2, 0);
  },
  'levels of many hidden jumps that end one after the other': (trace, n) => {
    times(n / 100, () => {
      trace.call(60, 1);
      times(45, (i) => {
        trace.call(16 + i, 100);
        trace.return(100, 16 + i);
      });
    });
    times(n / 100, () => trace.return(60, 60));
  },
  'events from any function to any other': (trace, n) => times(n, (i) => trace.call(i % 97, (i * 31) % 89)),
  'losses in a deep recursion': (trace, n) => {
    times(n, () => trace.call(1, 1));
    times(n / 6, () => {
      trace.error();
      trace.start(1);
      trace.return(1, 1);
    });
  },
  'losses after which no address confirms the stack': (trace, n) => {
    times(n, () => trace.call(1, 1));
    times(n / 100, (i) => {
      trace.error();
      trace.start(i % 7);
    });
  },
  'trace starts at unrelated addresses': (trace, n) =>
    times(n, (i) => trace.start((i * 7) % 50, 0x300 + 16 * (i % 13))),
  'a hundred fibers': (trace, n) => {
    const offset = (fiber: number) => 0x40 + 16 * (fiber % 7);
    times(n / 2, (i) => {
      const [fiber, next] = [i % 100, (i + 1) % 100];
      trace.call(100 + fiber, 'swapcontext', offset(fiber));
      if (i < 99) trace.returnInto('swapcontext', 100 + next);
      else trace.return('swapcontext', 100 + next, offset(next));
    });
  },
  'signals that nest and never return': (trace, n) =>
    times(n / 2, (i) => {
      trace.stop(i % 50);
      trace.start((i + 1) % 50, 0);
    }),
  'execs on a deep stack': (trace, n) =>
    onDeepStack(trace, n, (i) => (i % 2 ? trace.record('COMM exec: x:1/1') : trace.call(1, 1))),
  'many errors': (trace, n) => times(n, (i) => (i % 100 === 0 ? trace.call(1, 2) : trace.error())),
  'many errors of no thread': (trace, n) => times(n, (i) => (i % 100 === 0 ? trace.call(1, 2) : trace.error(-1))),
  'switches while the trace is stopped': (trace, n) => {
    trace.stop(1);
    times(n, (i) => trace.record(i % 2 ? 'SWITCH IN' : 'SWITCH OUT'));
  },
  'three functions that jump to each other, on a deep stack': (trace, n) =>
    onDeepStack(trace, n, (i) => trace.jump(i % 3, (i + 1) % 3)),
  'jumps to more functions than a level keeps, which its own return ends': (trace, n) => {
    trace.call(0, 1);
    times(n, (i) => trace.jump(1 + (i % 90), 1 + ((i + 1) % 90)));
    trace.return(1 + (n % 90), 0);
  },
  'jumps to functions, and back into their middle, on a deep stack': (trace, n) =>
    onDeepStack(trace, n, (i) => (i % 2 ? trace.jump(60 + (i % 61), i % 50, 0x40) : trace.jump(i % 50, 60 + (i % 61)))),
  'jumps out of stubs, on a deep stack': (trace, n) =>
    onDeepStack(trace, n, (i) => {
      if (i % 3 === 0) trace.call(1, 'f2@plt');
      else if (i % 3 === 1) trace.jump('f2@plt', 2);
      else trace.return(2, 1);
    }),
  'jumps into the middle of functions, on a deep stack': (trace, n) =>
    onDeepStack(trace, n, (i) => trace.jump(i % 50, 60 + ((i * 7) % 61), 0x40)),
  'exceptions above a deep stack': (trace, n) =>
    onDeepStack(trace, n, (i) => {
      if (i % 4 < 3) trace.call(1 + (i % 4), 2 + (i % 4));
      else trace.return(4, 1);
    }),
  'unwinders above a deep stack': (trace, n) =>
    onDeepStack(trace, n, (i) => (i % 2 ? trace.call(1, 'longjmp') : trace.call(1, 3))),
};

describe('four times the lines cost about four times the work', { timeout: 180_000 }, () => {
  test.each(Object.entries(HOSTILE))('%s', async (_, write) => {
    const work = await workOfReplaying(write, 2500);
    const workOfFourTimes = await workOfReplaying(write, 10_000);
    expect(workOfFourTimes / work).toBeLessThan(5);
  });
});

async function workOfReplaying(write: (trace: TraceWriter, n: number) => void, n: number): Promise<number> {
  const trace = new TraceWriter();
  write(trace, n);
  const { text } = trace;
  return workOf(/\/src\/(?:model|store|replay|pipeline)\//, async () => expectSound(await analyzeText(text)));
}

test('blocked time of waits at each level of a deep stack grows linearly', { timeout: 60_000 }, async () => {
  const workFor = (n: number) => {
    const trace = new TraceWriter();
    times(n, () => {
      trace.stop(1);
      trace.record('SWITCH OUT');
      trace.record('SWITCH IN');
      trace.start(1);
      trace.call(1, 1);
    });
    return workOf(/\/src\//, async () => {
      expect((await profileBlockedTime([inputOf(trace.text)], { jobs: 1 })).threads).toHaveLength(1);
    });
  };
  const work = await workFor(500);
  expect((await workFor(2000)) / work).toBeLessThan(5);
});

function onDeepStack(trace: TraceWriter, n: number, step: (i: number) => void): void {
  times(n / 2, () => trace.call(1, 1));
  times(n / 2, step);
}
