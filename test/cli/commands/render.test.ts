/**
 * `ptflame render`: its inputs, flags, refusals, and damaged inputs.
 */
import { chmod, readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect } from 'vitest';
import {
  expectRefusal,
  fixturePath,
  ptflame,
  type Run,
  SIX_LINES,
  SIX_LINES_FOLDED,
  startPtflame,
  THREE_THREADS,
  test,
  wideTrace,
} from '../../helpers/cli/run-cli.js';
import { traceOf } from '../../helpers/traces/trace-of.js';
import { TraceWriter, times } from '../../helpers/traces/trace-writer.js';

const OTHER_TRACE = fixturePath('lab/fields-usec-time.txt');
const MIGRATING = fixturePath('lab/thread-create-switch-migrate.txt');
const TAIL_CALLS = fixturePath('hardware/overflow-tailcalls.txt');
const TIMELESS = fixturePath('lab/fields-timeless-no-time.txt');
const BUNDLED = fixturePath('demo/threads.perf.txt.gz');

const lines = (...text: string[]) => text.map((line) => `${line}\n`).join('');

/** Runs `render` on standard input. */
const render = (input: string | Uint8Array, ...args: string[]) => ptflame(['render', '-', ...args], { input });

/** The same in a process of its own, through a pipe. */
async function renderPiped(input: Uint8Array): Promise<Run> {
  const { exitCode, stdout, stderr } = await startPtflame(['render', '-'], { input });
  return { exitCode, stdout: String(stdout), stderr };
}

const sortedLines = (text: string) => text.trimEnd().split('\n').sort();

const SIX_LINES_NOTES =
  /^6 events of 1 thread in 94 ns; nothing lost, 1 call inferred\nfinding: Of the 94 ns in traced code, .* is \w+ itself \(1 call\).*\.\n$/;

function expectSixLines(run: Run, stderr = SIX_LINES_NOTES): void {
  expect(run).toMatchObject({ exitCode: 0, stdout: SIX_LINES_FOLDED });
  expect(run.stderr).toMatch(stderr);
}

describe.concurrent('files that grow with the square of the depth', () => {
  const DEPTH = 3000;

  function deepTrace(): string {
    const writer = new TraceWriter();
    times(DEPTH, () => writer.call(1, 1));
    return writer.text;
  }

  test('are refused above --max-folded, before anything is written', async ({ dir }) => {
    const trace = await dir.write('deep.txt', deepTrace());
    const profile = dir.file('deep.json');
    expect(await ptflame(['render', trace, '-o', profile])).toMatchObject({ exitCode: 0 });
    const refused = async (...args: string[]) => {
      const run = await ptflame([...args, '--max-folded', '1M'], { cwd: dir.path });
      expectRefusal(run, 1, /about \d+\.\d MB.*the limit is 1\.0 MB/);
      expect(run.stderr).toContain('--max-folded SIZE sets another limit, 0 none');
    };
    await refused('render', trace, '-o', 'out.folded');
    await refused('render', trace, '-o', 'out.svg', '-o', 'out.pb.gz');
    await refused('merge', profile, '-o', 'out.folded');
    await refused('merge', profile, '-o', 'out.pb.gz');
    await refused('diff', profile, profile, '-o', 'out.folded');
    expect((await dir.names()).sort()).toEqual(['deep.json', 'deep.txt']);
    for (const args of [
      ['render', trace],
      ['merge', profile],
      ['diff', profile, profile],
    ])
      expect(await ptflame([...args, '-o', `${args[0]}.folded`, '--max-folded', '0'], { cwd: dir.path })).toMatchObject(
        {
          exitCode: 0,
        },
      );
  });
});

describe.concurrent('inputs', () => {
  test("renders the design's six lines as the four of the specification", async () => {
    expectSixLines(await ptflame(['render', SIX_LINES]));
  });

  test('reads standard input for -', async () => {
    expectSixLines(await renderPiped(await readFile(SIX_LINES)));
  });

  test('recognizes a compressed file by its content, not its name', async ({ dir }) => {
    const compressed = gzipSync(await readFile(SIX_LINES));
    expectSixLines(await ptflame(['render', await dir.write('trace.txt', compressed)]));
    const text = await readFile(SIX_LINES);
    expectSixLines(await ptflame(['render', await dir.write('text.gz', text)]));
  });

  test('reads compressed standard input', async () => {
    expectSixLines(await renderPiped(gzipSync(await readFile(SIX_LINES))));
  });

  test('reads a compressed file of several members, as concatenated by cat', async () => {
    const text = await readFile(SIX_LINES);
    const cut = text.indexOf('\n') + 1;
    expectSixLines(await render(Buffer.concat([gzipSync(text.subarray(0, cut)), gzipSync(text.subarray(cut))])));
  });

  test('reads several files in any order', async () => {
    const both = await ptflame(['render', SIX_LINES, OTHER_TRACE, '--no-extend']);
    expect(both.exitCode).toBe(0);
    const other = await ptflame(['render', OTHER_TRACE]);
    expect(sortedLines(both.stdout)).toEqual(sortedLines(SIX_LINES_FOLDED + other.stdout));
    expect(await ptflame(['render', OTHER_TRACE, SIX_LINES, '--no-extend'])).toEqual(both);
  });

  test('reads a trace split into files by CPU as one, in any order', async ({ dir }) => {
    const all = (await readFile(MIGRATING, 'utf8')).trimEnd().split('\n');
    const paths = [
      await dir.write('cpu0', lines(...all.filter((line) => line.includes('[000]')))),
      await dir.write('cpu1', gzipSync(lines(...all.filter((line) => line.includes('[001]'))))),
    ];
    const whole = await ptflame(['render', MIGRATING, '--annotate', '--by', 'thread']);
    expect(whole.exitCode).toBe(0);
    expect(await ptflame(['render', ...paths, '--annotate', '--by', 'thread'])).toEqual(whole);
    expect(await ptflame(['render', ...paths.reverse(), '--annotate', '--by', 'thread'])).toEqual(whole);
  });

  test('reads a pipe and a file together', async () => {
    const both = await ptflame(['render', SIX_LINES, OTHER_TRACE]);
    expect(await ptflame(['render', '-', OTHER_TRACE], { input: await readFile(SIX_LINES) })).toEqual(both);
  });

  test('reads files named 12 and ./-', async ({ dir }) => {
    const text = await readFile(SIX_LINES);
    await dir.write('12', text);
    expectSixLines(await ptflame(['render', '12'], { cwd: dir.path }));
    await dir.write('-', text);
    expectSixLines(await ptflame(['render', './-'], { cwd: dir.path }));
  });

  test('reads Windows line endings', async () => {
    expectSixLines(await render((await readFile(SIX_LINES, 'utf8')).replaceAll('\n', '\r\n')));
  });
});

describe.concurrent('flags', () => {
  test('--annotate adds calls, inferred calls and the average', async () => {
    expect((await ptflame(['render', SIX_LINES, '--annotate'])).stdout).toBe(
      lines(
        'mem_heap_block_free:1(1) 75',
        'mem_heap_block_free:1(1);mem_block_validate:1,avg:0 0',
        'mem_heap_block_free:1(1);pfs_memory_free_v1:1,avg:19 0',
        'mem_heap_block_free:1(1);pfs_memory_free_v1:1,avg:19;find_memory_class:1,avg:19 19',
      ),
    );
  });

  test.for([
    ['thread', ['backup-201', 'server-101', 'server-102']],
    ['process', ['backup-200', 'server-100']],
    ['comm', ['backup', 'server']],
    ['none', ['work']],
  ] as const)('--by %s adds a root frame for each', async ([by, roots]) => {
    const { exitCode, stdout } = await render(THREE_THREADS, '--by', by);
    expect(exitCode).toBe(0);
    expect([...new Set(stdout.match(/^[^; ]+/gm))]).toEqual(roots);
  });

  test.for([
    [['--tid', '101'], ['read_row']],
    [
      ['--tid', '101,201'],
      ['copy_page', 'read_row'],
    ],
    [
      ['--tid', '0-101', '--tid', '102'],
      ['read_row', 'write_row'],
    ],
    [['--pid', '200'], ['copy_page']],
    [['--pid=100'], ['read_row', 'write_row']],
    [['--comm', '^back'], ['copy_page']],
    [
      ['--exclude-comm', '^back'],
      ['read_row', 'write_row'],
    ],
    [
      ['--cpu', '1'],
      ['copy_page', 'write_row'],
    ],
    [
      ['--cpu', '0-3'],
      ['copy_page', 'read_row', 'write_row'],
    ],
    [['--cpu', '1', '--comm', 'server'], ['write_row']],
  ] as const)('%j selects %j', async ([args, functions]) => {
    const { exitCode, stdout } = await render(THREE_THREADS, ...args, '--no-extend');
    expect(exitCode).toBe(0);
    expect(stdout.match(/(?<=;)\w+(?= )/g)).toEqual(functions);
  });

  test('--min-ns leaves out paths with less self time', async () => {
    const { stdout } = await ptflame(['render', SIX_LINES, '--min-ns', '1']);
    expect(stdout).toBe(lines('mem_heap_block_free 75', 'mem_heap_block_free;pfs_memory_free_v1;find_memory_class 19'));
    expect((await ptflame(['render', SIX_LINES, '--min-ns', '20'])).stdout).toBe(lines('mem_heap_block_free 75'));
  });

  test('uses the last value of a repeated flag', async () => {
    const { stdout } = await ptflame(['render', SIX_LINES, '--min-ns', '1', '--min-ns', '20']);
    expect(stdout).toBe(lines('mem_heap_block_free 75'));
  });

  test('writes a report to .html, and with --format html', async ({ dir }) => {
    const appearance = ['--title', 'six <lines>', '--icicle', '--quiet'];
    await ptflame(['render', SIX_LINES, '-o', 'a.HTML', ...appearance], { cwd: dir.path });
    const page = await dir.read('a.HTML');
    expect(page).toMatch(/^<!doctype html>[\s\S]*<title>six &lt;lines&gt;<\/title>[\s\S]* data-start="#"/);
    const piped = await ptflame(['render', SIX_LINES, '--format', 'html', ...appearance]);
    expect(piped.stdout).toBe(page);
  });

  test('writes a picture to .svg, and with --format svg', async ({ dir }) => {
    const appearance = ['--title', 'six lines', '--width', '800', '--icicle', '--min-px', '0'];
    const run = await ptflame(['render', SIX_LINES, '-o', 'a.SVG', '-o', 'b.folded', ...appearance], { cwd: dir.path });
    expect(run).toMatchObject({ exitCode: 0, stdout: '' });
    const svg = await dir.read('a.SVG');
    expect(svg).toMatch(
      /^<\?xml version="1.0" encoding="UTF-8"\?>\n<svg [^>]*width="800" [^>]*>\n<title>six lines<\/title>/,
    );
    expect(svg).toContain('"isIcicle":true,"minPx":0');
    expect(await dir.read('b.folded')).toBe(SIX_LINES_FOLDED);
    const piped = await ptflame(['render', SIX_LINES, '--format', 'svg', ...appearance]);
    expect(piped.stdout).toBe(svg);
  });

  test('--no-extend ends a waiting thread where it was last seen', async () => {
    const total = (run: Run) => (run.stdout.match(/\d+$/gm) ?? []).reduce((sum, selfNs) => sum + Number(selfNs), 0);
    const [extended, bare] = [
      await ptflame(['render', MIGRATING]),
      await ptflame(['render', MIGRATING, '--no-extend']),
    ];
    expect(bare.exitCode).toBe(0);
    // Thread 15223 is switched out at 34406 and not seen again; the recording ends at 35421.
    expect(total(extended) - total(bare)).toBe(1015);
  });

  test('--scheduler show puts waits on the scheduler of a traced kernel', async ({ dir }) => {
    const text = traceOf(`
      10   call    main             k:sleep
      20   call    k:sleep          k:__schedule
      30   call    k:__schedule     k:__switch_to
      930  return  k:__switch_to    k:__schedule
      940  return  k:__schedule     k:sleep`);
    const folded = async (...options: string[]) =>
      (await ptflame(['render', await dir.write('sleep.txt', text), '-o', '-', ...options])).stdout;
    expect(await folded()).toContain('main;sleep;[off-cpu] 900\n');
    expect(await folded('--scheduler', 'show')).toContain('main;sleep;__schedule;__switch_to;[off-cpu] 900\n');
  });

  test('--tail-calls replace shows a function instead of the one that jumped to it', async () => {
    const nested = await ptflame(['render', TAIL_CALLS]);
    const replaced = await ptflame(['render', TAIL_CALLS, '--tail-calls', 'replace']);
    const jumped =
      'remove_leaf_kv;merge_tracking_child_edge;__rust_dealloc;__rdl_dealloc;cfree@GLIBC_2.2.5;_int_free 119\n';
    expect(nested.stdout).toContain(jumped);
    expect(replaced.stdout).not.toContain(jumped);
    expect(replaced.stdout).toContain('remove_leaf_kv;merge_tracking_child_edge;_int_free 119\n');
  });

  test('--by-calls uses calls as the width of a trace without times', async () => {
    const { exitCode, stdout, stderr } = await ptflame(['render', TIMELESS, '--by-calls']);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('__libc_start_call_main;main 1\n');
    expect(stderr).toMatch(/^8 events of 1 thread; nothing lost, \d+ calls inferred\n$/);
  });

  test('--quiet prints nothing, not even about damage', async () => {
    const run = await render(`what is this\n${THREE_THREADS}`, '--quiet');
    expect(run).toMatchObject({ exitCode: 0, stderr: '' });
    expect(run.stdout).not.toBe('');
  });

  test('--help shows an example, --version the version', async () => {
    const help = await ptflame(['render', '--help']);
    expect(help).toMatchObject({ exitCode: 0, stderr: '' });
    expect(help.stdout).toMatch(/Examples:\n {2}ptflame render /);
    const version = await ptflame(['--version']);
    expect(version).toMatchObject({ exitCode: 0, stderr: '' });
    expect(version.stdout).toMatch(/^\d+\.\d+\.\d+ \(Node \d+\.\d+\.\d+, (?:no perf|perf \d+\.\S+)\)\n$/);
  });

  test('--version shows the perf in PATH, or no perf', async ({ dir }) => {
    await dir.write('perf', '#!/bin/sh\necho perf version 6.12.34-custom\n');
    await chmod(`${dir.path}/perf`, 0o755);
    const other = await ptflame(['--version'], { env: { PATH: `${dir.path}:${process.env['PATH']}` } });
    expect(other.stdout).toMatch(/, perf 6\.12\.34-custom\)\n$/);
    await dir.write('perf', '#!/bin/sh\necho WARNING: perf not found for kernel 6.1 >&2\nexit 2\n');
    const none = await ptflame(['--version'], { env: { PATH: `${dir.path}:${process.env['PATH']}` } });
    expect(none).toMatchObject({ exitCode: 0, stderr: '' });
    expect(none.stdout).toMatch(/, no perf\)\n$/);
  });
});

describe.concurrent('render refuses', () => {
  const kinds = [
    { what: 'an empty input', content: '', message: /the input is empty/, remedy: /perf script/ },
    { what: 'zstd', content: Buffer.from('28b52ffd0458', 'hex'), message: /compressed with zstd/, remedy: /zstd -dc/ },
    {
      what: 'other text',
      content: 'hello\nworld\n',
      message: /(?:input|standard input), only 2 lines not understood$/m,
      remedy: /perf script/,
    },
    {
      what: 'random bytes',
      content: noise(100_000),
      message: /no Intel PT branches/,
      remedy: /perf script/,
    },
    { what: 'a compressed empty input', content: gzipSync(''), message: /the input is empty/, remedy: /perf script/ },
    {
      what: 'a compressed recording',
      content: gzipSync('PERFILE2....'),
      message: /recording/,
      remedy: /pass the uncompressed file/,
    },
  ] as const;

  test.for(kinds)('$what, as a file and from a pipe', async ({ content, message, remedy }, { dir }) => {
    const path = await dir.write('input', content);
    const file = await ptflame(['render', path, '-o', 'out.folded'], { cwd: dir.path });
    expectRefusal(file, 1, message, remedy);
    const pipe = await ptflame(['render', '-', '-o', 'out.folded'], { cwd: dir.path, input: content });
    expectRefusal(pipe, 1, message, remedy);
    expect(await dir.names()).toEqual(['input']);
  });

  test('a recording from a pipe, as perf reads it once per job', async () => {
    const run = await ptflame(['render', '-'], { input: 'PERFILE2\x68\0\0\0' });
    expectRefusal(run, 1, /recording \(perf\.data\)/, /render perf\.data/);
  });

  const traces = [
    {
      what: 'branches without their flags',
      name: 'lab/fields-default.txt',
      message: /none has flags that give its kind/,
      remedy: /flags column/,
    },
    {
      what: 'a trace without times',
      name: 'lab/fields-timeless-no-time.txt',
      message: /has no times/,
      remedy: /--by-calls/,
    },
    {
      what: 'samples',
      name: 'hardware/sampling-callchain.txt',
      message: /no Intel PT branches/,
      remedy: /--itrace/,
    },
  ] as const;

  test.for(traces)('$what', async ({ name, message, remedy }, { dir }) => {
    const run = await ptflame(['render', fixturePath(name), '-o', 'out.folded'], { cwd: dir.path });
    expectRefusal(run, 1, message, remedy);
    expect(await dir.names()).toEqual([]);
  });

  const paths = [
    { what: 'a missing file', path: 'missing.txt', message: /missing\.txt: there is no such file/ },
    { what: 'a directory', path: '.', message: /\. is a directory/ },
    { what: 'a path through a file', path: 'good.txt/more', message: /cannot open good\.txt\/more/ },
  ];

  test.for(paths)('$what, next to a good one', async ({ path, message }, { dir }) => {
    await dir.write('good.txt', THREE_THREADS);
    const run = await ptflame(['render', 'good.txt', path, '-o', 'out.folded'], { cwd: dir.path });
    expectRefusal(run, 1, message);
    expect(await dir.names()).toEqual(['good.txt']);
  });

  test('the side of a comparison that has no branches, by its name', async ({ dir }) => {
    await dir.write('bad.txt', 'hello\n');
    const run = await ptflame(['diff', SIX_LINES, 'bad.txt'], { cwd: dir.path });
    expectRefusal(run, 1, /no Intel PT branches in bad\.txt, only 1 line not understood/);
  });

  test.skipIf(process.getuid?.() === 0)('a file without read permission', async ({ dir }) => {
    const path = await dir.write('secret.txt', THREE_THREADS);
    await chmod(path, 0o000);
    expectRefusal(await ptflame(['render', path]), 1, /secret\.txt: permission denied/, /sudo chown/);
  });

  test('a socket, which cannot be opened, not even by root', async ({ dir }) => {
    const server = await listening(dir.file('socket'));
    expectRefusal(await ptflame(['render', dir.file('socket')]), 1, /cannot open .*socket/);
    server.close();
  });

  test.for([
    [['--tid', '1'], /no thread of the trace is selected/, /--by thread/],
    [['--comm', 'nobody'], /no thread of the trace is selected/, /--by thread/],
    [['--exclude-comm', '.'], /no thread of the trace is selected/, /--exclude-comm/],
  ] as const)('%j, which selects nothing', async ([args, message, remedy]) => {
    expectRefusal(await render(THREE_THREADS, ...args), 1, message, remedy);
  });

  test.for([
    [['--pid', '1'], /no process ids/, /-F\+pid/],
    [['--comm', 'x'], /no thread names/, /-F\+comm/],
  ] as const)('%j of a trace without that information', async ([args, message, remedy]) => {
    expectRefusal(await ptflame(['render', SIX_LINES, ...args]), 1, message, remedy);
  });
});

describe.concurrent('reports a usage error', () => {
  const cases = [
    ['--quiet', /no command given/],
    ['bogus', /unknown command bogus/],
    ['rende TRACE', /rende/, /did you mean render\?/],
    ['TRACE', /unknown command/, /it is a file: ptflame render .* -o flame\.html/],
    [
      'render',
      /render needs INPUT/,
      /for example: ptflame render perf\.data -o flame\.html; - is standard input; see ptflame render --help/,
    ],
    ['latency TRACE', /latency needs FUNCTION$/],
    ['latency take', /latency needs INPUT$/],
    ['latency no-such.data', /latency needs FUNCTION$/],
    ['requests no/such/file', /requests needs ROOT$/],
    ['latency /a/', /latency needs INPUT$/],
    ['latency', /latency needs FUNCTION and INPUT/],
    ['diff', /diff needs BEFORE/],
    ['diff TRACE', /diff needs AFTER/, /--before tid=12 --after tid=34/],
    ['diff - -', /only once/, /import it first/],
    ['diff TRACE --after tid', /--after must be OPTION=VALUE, such as tid=12/],
    ['diff TRACE --after toString=1', /--after must be OPTION=VALUE/],
    ['diff TRACE --after cpus=3', /the options are tid, pid, comm, exclude-comm, cpu, window, root, inside/],
    ['diff TRACE --after tid=x', /--after tid must be a list of numbers/],
    ['diff TRACE TRACE --fail-above f', /--fail-above must be 'FUNCTION avg\|total/],
    ['diff TRACE TRACE --width 900 -o x.html', /--width has no effect on html output/],
    ['diff TRACE TRACE --top 3 -o x.html', /--top has no effect on html output/],
    ['diff TRACE TRACE -o x.png', /unknown file ending: x\.png/],
    ['import TRACE', /--output is required/],
    ["render ''", /INPUT must not be empty/],
    ['render TRACE --bogus', /unknown option --bogus/],
    ['render TRACE --bogus=5', /unknown option --bogus$/],
    ['render --icicel TRACE', /unknown option --icicel$/, /did you mean --icicle\?/],
    ['render TRACE --anotate', /anotate/, /did you mean --annotate\?/],
    ['render TRACE --annot', /annot/, /did you mean --annotate\?/],
    ['render TRACE --widht 900', /widht/, /did you mean --width\?/],
    ['render TRACE --slowest 3', /unknown option --slowest/, /is an option of ptflame latency/],
    ['render TRACE -x', /unknown option -x/],
    ['render TRACE -qx', /unknown option -x/],
    ['render TRACE -output x', /unknown option -output/, /did you mean --output\?/],
    ['render TRACE -o', /--output needs a value, such as --output FILE/],
    ['render TRACE -o --quiet', /--output needs a value/, /begins with - as --output=--quiet/],
    ['render TRACE --by', /--by needs a value, such as --by none/],
    ['render TRACE --quiet=yes', /--quiet takes no value/],
    ["render TRACE -o ''", /--output must not be empty/],
    ['render TRACE --format pdf', /--format: "pdf" is not one of "folded", "svg", "html", "json", "pprof"/],
    ['diff TRACE TRACE --format pprof', /--format: "pprof" is not one of "folded", "svg", "html", "json"/],
    ['diff TRACE TRACE -o x.pb.gz', /unknown file ending: x\.pb\.gz/],
    ['render TRACE -o x.gz', /unknown file ending: x\.gz/, /\.pb\.gz/],
    ['render TRACE --by thread -o x.pb.gz', /--by has no effect on pprof output/, /for svg and folded/],
    ['render TRACE --width 100', /--width must be 300 or more/],
    ['render TRACE --width wide', /--width must be a number/],
    ['render TRACE --min-px -1', /--min-px must be 0 or more/],
    ['render TRACE --by cpu', /--by: "cpu" is not one of "none", "thread", "process", "comm"/],
    ['render TRACE --by thred', /--by: "thred" is not one of/, /did you mean thread\?/],
    ['render TRACE --tail-calls hide', /"hide" is not one of "nest", "replace"/],
    ['render TRACE --min-ns', /--min-ns needs a value, such as --min-ns NS/],
    ['render TRACE --min-ns many', /--min-ns must be a number/],
    ['render TRACE --min-ns -1', /--min-ns must be 0 or more/],
    ['render TRACE --tid 1,x', /--tid must be a list of numbers and ranges/],
    ['render TRACE --cpu 7-3', /--cpu must be a list/],
    ['render TRACE --pid', /--pid needs a value/],
    ['render TRACE --comm (', /--comm must be a valid regular expression: "\("/],
    ['render - -', /only once/],
    ['render TRACE -o x.png', /unknown file ending: x\.png/, /\.folded, .*\.svg, \.html.*--format/],
    ['render TRACE -o x.folded -o x.gif', /unknown file ending: x\.gif/],
    ['demo -o x.pdf', /unknown file ending: x\.pdf/],
    ['render TRACE --icicle -o x.folded', /--icicle has no effect on folded output/, /for html and svg/],
    ['render TRACE --annotate -o x.svg', /--annotate has no effect on svg output/, /for folded/],
    ['render TRACE --min-px 3', /--min-px has no effect on folded output/],
    ['render TRACE --width 900 -o x.html', /--width has no effect on html output/],
    ['render TRACE --by thread -o x.json -o y.html', /--by has no effect on json, html output/],
    ['latency f TRACE --csv --slowest 3', /--slowest has no effect on csv output/],
    ['diff TRACE TRACE --json --top 3', /--top has no effect on json output/],
    ['help rendr', /unknown command rendr/, /did you mean render\?/],
    ['completion tcsh', /SHELL: "tcsh" is not one of "bash", "zsh", "fish"/],
    ['demo more', /more/],
  ] as readonly (readonly [command: string, message: RegExp, remedy?: RegExp])[];
  const words: Readonly<Record<string, string>> = { TRACE: SIX_LINES, "''": '' };

  test.for(cases)('of ptflame %s', async ([command, message, remedy], { dir }) => {
    const args = command.match(/\S+/g)?.map((word) => words[word] ?? word) ?? [];
    expectRefusal(await ptflame(args, { cwd: dir.path }), 2, message, remedy ?? /--help|once/);
    expect(await dir.names()).toEqual([]);
  });
});

describe.concurrent('damaged input', () => {
  test('renders the readable part of a truncated compressed file', async ({ dir }) => {
    const compressed = await readFile(BUNDLED);
    const path = await dir.write('cut.gz', compressed.subarray(0, compressed.length / 2));
    const { exitCode, stdout, stderr } = await ptflame(['render', path], { cwd: dir.path });
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^(?:\S+ \d+\n)+$/);
    expect(stderr).toMatch(/^7\d\d events of 5 threads in /);
    expect(stderr).toMatch(
      /\nwarning: .*cut\.gz ends early \(unexpected end of file\): the data read so far is used\n/,
    );
  });

  test('renders the readable part of a truncated pipe', async () => {
    const compressed = await readFile(BUNDLED);
    const { exitCode, stderr } = await renderPiped(compressed.subarray(0, compressed.length / 2));
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/^7\d\d events of 5 threads in /);
    expect(stderr).toContain('\nwarning: standard input ends early (unexpected end of file)');
  });

  test.for([5, 12, 40])(
    'refuses a compressed file cut after %i bytes, before the first branch',
    async (length, { dir }) => {
      const path = await dir.write('cut.gz', (await readFile(BUNDLED)).subarray(0, length));
      const run = await ptflame(['render', path, '-o', 'out.folded'], { cwd: dir.path });
      expectRefusal(run, 1, /found no Intel PT branches in .*cut\.gz: unexpected end of file/);
      expect(await dir.names()).toEqual(['cut.gz']);
    },
  );

  test('renders the part before the damage of a large compressed file', async ({ dir }) => {
    const text = wideTrace();
    const path = await dir.write('garbled.gz', garbled(gzipSync(text)));
    const { exitCode, stdout, stderr } = await ptflame(['render', path]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^main \d+\n(?:main;f\d+_x+ \d+\n)+/);
    expect(stderr).toMatch(/\nwarning: .*garbled\.gz ends early \([^)]+\): the data read so far is used\n/);
  });

  // zlib returns no output for a chunk of input in which it fails, so chunks must be small.
  test('renders the part before the damage of a small compressed file', async ({ dir }) => {
    const path = await dir.write('garbled.gz', garbled(await readFile(BUNDLED)));
    const { exitCode, stderr } = await ptflame(['render', path]);
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/\nwarning: .*garbled\.gz ends early \([^)]+\): the data read so far is used\n/);
  });

  test('uses the good files next to a damaged one', async ({ dir }) => {
    const path = await dir.write('cut.gz', gzipSync(THREE_THREADS).subarray(0, 20));
    const { exitCode, stdout, stderr } = await ptflame(['render', path, SIX_LINES]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: SIX_LINES_FOLDED });
    expect(stderr).toMatch(/cut\.gz ends early/);
  });

  test('uses all lines before a truncated last line, and shows it', async () => {
    const text = await readFile(SIX_LINES);
    const { exitCode, stdout, stderr } = await render(text.subarray(0, text.length - 40));
    expect(exitCode).toBe(0);
    expect(stdout).toContain('find_memory_class 19\n');
    expect(stderr).toMatch(/^5 events of 1 thread in /);
    expect(stderr).toMatch(/\nwarning: 1 of 6 lines damaged and skipped\n {2}standard input:6: .*cut.*114078/);
  });

  test.for([
    ['random bytes', Buffer.concat([noise(3000), Buffer.from('\n')])],
    ['a line of 10 MB', Buffer.from(`${'x'.repeat(10_000_000)}\n`)],
    ['a line of 10 MB that begins as a branch', Buffer.from(`1 [000] 1.000000001: call ${'4'.repeat(10_000_000)}\n`)],
    ['10 MB of zeros', Buffer.concat([Buffer.alloc(10_000_000), Buffer.from('\n')])],
    ['impossible times and addresses', Buffer.from('1 [0] 99999999999999999.0: call ffffffffffffffffff a => 0 b\n')],
  ] as const)('uses all lines around %s', async ([, damage]) => {
    const text = await readFile(SIX_LINES);
    const middle = text.indexOf('\n', text.length / 2) + 1;
    const run = await render(Buffer.concat([text.subarray(0, middle), damage, text.subarray(middle)]));
    expectSixLines(run, /^6 events of .*\nwarning: \d+ of \d+ lines damaged and skipped\n {2}standard input:\d+: /);
    expect(run.stderr.length).toBeLessThan(4000);
  });

  test('shows ten damaged lines and counts all', async () => {
    const run = await render('what is this\n'.repeat(50) + THREE_THREADS);
    expect(run.exitCode).toBe(0);
    expect(run.stderr).toContain('\nwarning: 50 of 56 lines damaged and skipped\n');
    expect(run.stderr.match(/standard input:\d+: /g)).toEqual(
      Array.from({ length: 10 }, (_, index) => `standard input:${index + 1}: `),
    );
  });
});

describe.concurrent('notes on losses', () => {
  const ns = (at: number) => `1.${String(at).padStart(9, '0')}`;
  const ids = 'cpu 0 pid 100 tid 101';
  const error = (at: number, code: number, message: string, ip = '0') =>
    ` instruction trace error type 1 time ${ns(at)} ${ids} ip ${ip} code ${code}: ${message}`;
  const restart = (at: number) => `101 [000] ${ns(at)}: tr strt 0 [unknown] => 401010 work+0x10`;
  const mmap = (start: string, file: string) =>
    `101 [000] ${ns(200)}: PERF_RECORD_MMAP2 100/101: [${start}(0x1000) @ 0 fe:00 1 0]: r-xp ${file}`;

  test('name the threads, and each cause with its remedy', async () => {
    const text = lines(
      ...[mmap('0x1000', '/opt/my lab/demo'), mmap('0x2000', '//anon')],
      `swapper 0 0.000000000: PERF_RECORD_MMAP -1/0: [0xffffffff81000000(0x1000) @ 0]: x [kernel.kallsyms]_text`,
      ...[error(1000, 7, 'Overflow packet'), restart(1900), error(2000, 5, 'Failed', '0x1010'), restart(2800)],
      ...[error(3000, 6, 'Trace', '0x2010'), restart(3700), error(4000, 5, 'Failed', '0xffffffff81000010')],
      ...[restart(4600), error(5000, 5, 'Failed'), restart(5500), error(6000, 8, 'Lost'), restart(6400)],
      ...[error(7000, 42, 'Never heard of'), restart(7300)],
    );
    const { exitCode, stderr } = await render(THREE_THREADS + text);
    expect(exitCode).toBe(0);
    const [head = '', ...notes] = stderr.trimEnd().split('\n');
    expect(head).toMatch(/^13 events of 3 threads in 7\.2 µs; 7 gaps in 1 of 3 threads, 4\.2 µs lost \(\d+\.\d %\), /);
    expect(notes.filter((note) => note.startsWith('note: '))).toEqual([
      'note: 1 gap, 900 ns lost: Overflow packet (code 7); record less per CPU: no cyc, a filter, or a larger cyc_thresh',
      'note: 1 gap, 800 ns lost: Failed to get instruction (code 5) in /opt/my lab/demo; that file is not the one that ran, or is missing; keep it, or use --symfs',
      "note: 1 gap, 700 ns lost: Trace doesn't match instruction (code 6) in //anon; code of a JIT compiler: node --perf-prof and other jitdumps keep it; for LuaJIT and PCRE, which write none, nothing does (docs/decoder.md)",
      "note: 1 gap, 600 ns lost: Failed to get instruction (code 5) in [kernel.kallsyms]_text; perf record --kcore keeps the kernel's code, except that of modules that are loaded later",
      'note: 1 gap, 500 ns lost: Failed to get instruction (code 5); perf script --show-mmap-events shows the file, unless a JIT compiler generated the code',
      'note: 1 gap, 400 ns lost: Lost trace data (code 8); use a larger buffer (-m ,64M), fewer CPUs, or a shorter recording',
      'note: 1 gap, 300 ns lost: Never heard of (code 42)',
    ]);
  });

  test('count starts without a cause', async () => {
    const { stderr } = await render(THREE_THREADS + lines(restart(200), restart(300)));
    expect(stderr).toMatch(/; 2 gaps in 1 of 3 threads, 190 ns lost /);
    expect(stderr).toContain('\nnote: 2 gaps, 190 ns lost: tracing restarted without an error\n');
  });

  test('shorten a long path to its end and escape control characters', async () => {
    const file = `/${'very/'.repeat(100)}\x1b[31m\u009bred\u202e/libend.so (deleted)`;
    const text = lines(mmap('0x1000', file), error(1000, 5, 'Failed', '0x1010'), restart(1900));
    const { stderr } = await render(THREE_THREADS + text);
    const note = stderr.split('\n').find((line) => line.startsWith('note: 1 gap'));
    expect(note).toMatch(/ in …[a-z/]+\/\\x1b\[31m\\x9bred\\u202e\/libend\.so \(deleted\); /);
    expect(note?.length).toBeLessThan(350);
  });

  test('list ten unknown flags and ten causes, and sum up the others', async () => {
    const branch = (index: number) =>
      `101 [000] ${ns(1000 + 10 * index)}: flag${index} 401010 work+0x10 => 401014 work+0x14`;
    const damage = Array.from({ length: 5000 }, (_, index) => [
      branch(index),
      error(1005 + 10 * index, index % 90, 'so '.repeat(100)),
    ]);
    const { exitCode, stderr } = await render(THREE_THREADS + lines(...damage.flat()));
    expect(exitCode).toBe(0);
    expect(stderr.match(/^note: [\d,]+ gaps, .* lost: /gm)).toHaveLength(11);
    expect(stderr).toMatch(/\nnote: [\d,]+ gaps, .* lost: other causes\n/);
    expect(stderr).toMatch(/\nnote: unknown flags on 5,000 lines, treated as jumps: flag0, .* and more\n/);
    expect(stderr.length).toBeLessThan(4000);
  });
});

describe.concurrent('names with control characters', () => {
  const ESCAPES = '\x1b[31m\x1b]0;title\x07';
  const hostile = lines(
    `ser${ESCAPES}ver 100/101 [000] 1.000000100: call   401010 ma;in${ESCAPES}+0x10 => 402000 read\rrow\x9b1m+0x0`,
    `ser${ESCAPES}ver 100/101 [000] 1.000000150: return 402010 read\rrow\x9b1m+0x10 => 401015 ma;in${ESCAPES}+0x15`,
    `ser${ESCAPES}ver 100/101 [000] 1.000000160: call   401020 ma;in${ESCAPES}+0x20 => 403000 tab\there\u2028\u202e+0x0`,
    `ser${ESCAPES}ver 100/101 [000] 1.000000190: fly${ESCAPES} 403010 tab\there+0x10 => 404000 $(touch pwned)+0x0`,
    ` instruction trace error type 1 time 1.000000210 cpu 0 pid 100 tid 101 ip 0 code 70: over${ESCAPES}flow`,
    `ser${ESCAPES}ver 100/101 [000] 1.000000300: call   401040 ma;in${ESCAPES}+0x40 => 405000 after+0x0`,
    `dam${ESCAPES}aged\r`,
  );
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the tests search for control characters
  const CONTROL = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e]/;

  test('reach neither the terminal nor the folded lines', async ({ dir }) => {
    const path = await dir.write(`tra${ESCAPES}ce\n.txt`, hostile);
    const { exitCode, stdout, stderr } = await ptflame(['render', path, '--by', 'comm', '--annotate'], {
      cwd: dir.path,
    });
    expect(exitCode).toBe(0);
    expect(stderr).not.toMatch(CONTROL);
    for (const shown of ['ce\\x0a.txt:7: ', 'dam\\x1b[31m', 'over\\x1b[31m', 'fly\\x1b[31m'])
      expect(stderr).toContain(shown);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: likewise
    expect(stdout).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029]/);
    expect(await dir.names()).toHaveLength(1);
  });

  test('cannot add frames or lines', async () => {
    const { stdout } = await render(hostile);
    const folded = stdout.trimEnd().split('\n');
    expect(folded[0]).toMatch(/^ma:in \[31m \]0:title {2}\d+$/);
    expect(folded.every((line) => /^[^;\n]+(?:;[^;\n]+)* \d+$/.test(line))).toBe(true);
    expect(folded.map((line) => line.split(';').length).slice(0, 3)).toEqual([1, 2, 2]);
    expect(folded.some((line) => /;read row 1m 50$/.test(line))).toBe(true);
  });

  const messages = [
    ['an input', ['render', `no${ESCAPES}\n`], 1],
    ['an output', ['render', SIX_LINES, '-o', `no${ESCAPES}/\nout`], 1],
    ['a flag', ['render', SIX_LINES, `--${ESCAPES}`], 2],
    ['a regular expression', ['render', SIX_LINES, '--comm', `${ESCAPES}(`], 2],
    ['a choice', ['render', SIX_LINES, '--by', `${ESCAPES}\n`], 2],
    ['a command', [ESCAPES], 2],
  ] as const;

  test.for(messages)('are escaped in a message about %s', async ([, args, exitCode], { dir }) => {
    const run = await ptflame(args, { cwd: dir.path });
    expectRefusal(run, exitCode, /\\(?:x|u00)1b\[31m\\(?:x|u00)1b\]0;title\\(?:x|u00)07/);
    expect(run.stderr).not.toMatch(CONTROL);
  });

  test('are escaped in names of outputs', async ({ dir }) => {
    const { exitCode, stderr } = await ptflame(['demo', '-o', `out${ESCAPES}`], { cwd: dir.path });
    expect(exitCode).toBe(0);
    expect(stderr).toContain('wrote out\\x1b[31m');
    expect(stderr).not.toMatch(CONTROL);
  });
});

/** Pseudo-random bytes, the same every time, with some newlines. */
function noise(length: number): Buffer {
  let state = 1;
  const next = () => (state = (Math.imul(state, 1103515245) + 12345) >>> 0) >>> 16;
  return Buffer.from(Uint8Array.from({ length }, next));
}

/** Overwrites 64 bytes at 9/10 of the length with ones. */
function garbled(compressed: Buffer): Buffer {
  const start = Math.floor(compressed.length * 0.9);
  return Buffer.from(compressed).fill(0xff, start, start + 64);
}

function listening(path: string): Promise<Server> {
  return new Promise((done) => {
    const server = createServer();
    server.listen(path, () => done(server));
  });
}
