/**
 * However the program ends, it prints the reason and exits with the code for it.
 */
import { closeSync, openSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { ISSUES, toPtflameError } from '../../../cli/process/exit.js';
import { PtflameError } from '../../../src/index.js';
import { expectRefusal, ptflame, SIX_LINES, startPtflame, test } from '../../helpers/cli/run-cli.js';

/** Runs a script in the program once its exit handlers are installed. */
function sabotage(script: string): Readonly<Record<string, string>> {
  const whenReady = `process.on('newListener', (name) => name === 'beforeExit' && setImmediate(() => { ${script} }))`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(whenReady)}` };
}

describe.concurrent('reports what no code catches', () => {
  test.for([
    ['an error in a callback', "throw new Error('a bug\\u001b[2J')", /internal error: a bug\\x1b\[2J$/],
    ['an unhandled rejection', "Promise.reject(new Error('a bug'))", /internal error: a bug$/],
    ['a thrown value that is not an error', 'throw null', /internal error: null$/],
    ['an exit in the middle of the work', 'process.stdin.unref()', /internal error: the work stopped halfway/],
  ] as const)('%s', async ([, script, message], { dir }) => {
    const run = await ptflame(['render', '-', '-o', dir.file('out.svg')], { env: sabotage(script), input: null });
    expectRefusal(run, 1, message, /a bug in ptflame: please report .*https:/);
    expect(run.stderr).toContain(ISSUES);
    expect(await dir.names()).toEqual([]);
  });

  test('shows with PTFLAME_DEBUG=1 where it happened', async () => {
    const env = { ...sabotage("throw new Error('a bug')"), PTFLAME_DEBUG: '1' };
    const { stderr } = await ptflame(['render', '-'], { env, input: null });
    expect(stderr).toMatch(/^caused by\nError: a bug\n {4}at /m);
  });
});

describe('turns any error into one with a remedy', () => {
  const systemError = (code: string, syscall: string) =>
    Object.assign(new Error(`${code}: too bad, ${syscall} '/x'`), { code, syscall });
  test.for([
    [systemError('EMFILE', 'open'), 'SYSTEM', /too bad, open '\/x' \(EMFILE\)/, /ulimit -n/],
    [systemError('ENOSPC', 'write'), 'SYSTEM', /too bad/, /--temp-dir/],
    [new RangeError('Array buffer allocation failed'), 'TOO_LARGE', /does not fit into memory/, /--memory/],
    [new RangeError('Invalid string length'), 'TOO_LARGE', /does not fit into memory/, /--tid/],
    [Object.assign(new Error('x'), { code: 'ERR_WORKER_OUT_OF_MEMORY' }), 'TOO_LARGE', /fit into memory/, /--memory/],
    [new TypeError('x is not a function'), 'INTERNAL', /internal error: x is not a function/, /report/],
    [undefined, 'INTERNAL', /internal error: undefined/, /report/],
  ] as const)('%s', ([error, code, message, hint]) => {
    const fault = toPtflameError(error);
    expect({ code: fault.code, message: fault.message, hint: fault.hint }).toEqual({
      code,
      message: expect.stringMatching(message),
      hint: expect.stringMatching(hint),
    });
  });

  test('keeps an error that has a remedy', () => {
    const error = new PtflameError('TIMELESS', 'no times', { hint: 'record them' });
    expect(toPtflameError(error)).toBe(error);
  });
});

describe.concurrent('standard output', () => {
  test.for([['--help'], ['--version'], ['doctor'], ['record', '-a', '--dry-run'], ['report', SIX_LINES]])(
    'reports a full disk: %j',
    async (args) => {
      const stdout = openSync('/dev/full', 'w');
      const { exitCode, stderr } = await ptflame(args, { stdout });
      closeSync(stdout);
      expect(exitCode).toBe(1);
      expect(stderr).toMatch(/^ptflame: cannot write standard output: the disk is full\n {2}\S/m);
    },
  );

  test.for([['--help'], ['--version'], ['doctor', '--json'], ['report', SIX_LINES]])(
    'ends quietly when its reader has gone: %j',
    async (args) => {
      const running = startPtflame(args);
      running.stdout.destroy();
      const { exitCode, stderr } = await running;
      expect({ exitCode: args[0] === 'doctor' ? 0 : exitCode, stderr }).toEqual({
        exitCode: 0,
        stderr: expect.not.stringContaining('ptflame:'),
      });
    },
  );
});
