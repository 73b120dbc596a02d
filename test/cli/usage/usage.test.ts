/**
 * Help, completion, the man page, and the parsing of the command line.
 */
import { mkdir, readFile } from 'node:fs/promises';
import { execa } from 'execa';
import { describe, expect } from 'vitest';
import { PROGRAM as DESCRIPTION } from '../../../cli/program.js';
import { type Command, loadCommands } from '../../../cli/usage/command.js';
import { parseWords } from '../../../cli/usage/parse-words.js';
import { expectRefusal, PROGRAM, ptflame, SIX_LINES, SIX_LINES_FOLDED, test } from '../../helpers/cli/run-cli.js';

const COMMANDS = await loadCommands(DESCRIPTION.commands);
const NAMES = COMMANDS.map(({ name }) => name);

function commandNamed(name: string): Command {
  return COMMANDS.find((each) => each.name === name) as Command;
}

function flagPattern(name: string): RegExp {
  return new RegExp(`^  (-\\w, |    )--${name}\\b`, 'm');
}

/** Lines over 80 columns, without examples, which can be copied as they are. */
function linesTooLong(text: string, { examples }: Command): string[] {
  const copied = examples.map(([example]) => example);
  return text.split('\n').filter((line) => line.length > 80 && !copied.includes(line.trim()));
}

describe.concurrent('help', () => {
  test('is printed by ptflame alone, with every command and exit code', async () => {
    const alone = await ptflame([]);
    expect(alone).toMatchObject({ exitCode: 0, stderr: '' });
    for (const name of NAMES) expect(alone.stdout).toMatch(new RegExp(`^  ${name} +\\S`, 'm'));
    for (const code of [0, 1, 2, 130]) expect(alone.stdout).toMatch(new RegExp(`^  ${code} +\\S`, 'm'));
    for (const args of [['help'], ['--help'], ['-h'], ['--quiet', '-h']]) expect(await ptflame(args)).toEqual(alone);
  });

  test.for(NAMES)('ptflame help %s has examples first, and fits one screen', async (name) => {
    const command = commandNamed(name);
    const help = await ptflame(['help', name], { env: { COLUMNS: '80' } });
    expect(help).toMatchObject({ exitCode: 0, stderr: '' });
    for (const args of [
      [name, '--help'],
      [name, '-h'],
    ])
      expect(await ptflame(args, { env: { COLUMNS: '80' } })).toEqual(help);
    const { stdout } = help;
    expect(stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(30);
    expect(stdout.match(/^\w.*:$/gm)?.[0]).toBe('Examples:');
    expect(linesTooLong(stdout, command)).toEqual([]);
    const missing = command.flags.filter((flag) => !stdout.includes(`--${flag.name}`));
    if (missing.length > 0) expect(stdout).toContain(`ptflame ${name} --help-all explains all`);
    const common = command.flags.filter(({ short }) => short !== null);
    for (const flag of common) expect(stdout).toMatch(flagPattern(flag.name));
    expect(common.length).toBeLessThanOrEqual(12);
    for (const other of COMMANDS)
      if (other !== command && other.task === command.task) expect(stdout).toContain(`ptflame ${other.name}`);
  });

  test.for(NAMES)('ptflame %s --help-all has every flag under a heading, and lines that fit', async (name) => {
    const command = commandNamed(name);
    const { stdout, exitCode } = await ptflame([name, '--help-all'], { env: { COLUMNS: '80' } });
    expect(exitCode).toBe(0);
    expect(await ptflame(['help', name, '--help-all'], { env: { COLUMNS: '80' } })).toMatchObject({ stdout });
    for (const flag of command.flags) expect(stdout).toMatch(flagPattern(flag.name));
    const headings = stdout.match(/^\w.*:$/gm) ?? [];
    expect(headings[0]).toBe('Examples:');
    expect(headings).toContain('General:');
    expect(headings).not.toContain('Other:'); // the heading of flags without a group
    expect(headings.at(-1)).toBe('Exit codes:');
    expect(linesTooLong(stdout, command)).toEqual([]);
  });

  test.for([
    ['60', 60],
    ['100', 100],
    ['200', 100],
    ['', 80], // a pipe
  ] as const)('is as wide as COLUMNS=%s allows', async ([COLUMNS, width]) => {
    const { stdout } = await ptflame(['record', '--help-all'], { env: { COLUMNS } });
    const options = stdout.split('\n').filter((line) => /^ {2,}-|^ {20}/.test(line));
    const widest = Math.max(...options.map(({ length }) => length));
    expect(widest).toBeLessThanOrEqual(width);
    expect(widest).toBeGreaterThan(width - 6);
  });

  test('introduces the views of waits as one family', async () => {
    const { stdout } = await ptflame(['--help'], { env: { COLUMNS: '80' } });
    const family = /^Analyze waits.*record --waits or --probe:\n((?: {2}.*\n)+)/m.exec(stdout)?.[1] ?? '';
    expect(family.match(/^ {2}\w+/gm)).toEqual(['  waits', '  requests', '  locks', '  values']);
    expect((await ptflame(['locks', '--help'])).stdout).toMatch(/^See also: ptflame waits, .*values$/m);
  });

  test.for([
    ['help rendr', /unknown command rendr/, /did you mean render\?/],
    ['rendr --help', /unknown command rendr/, /did you mean render\?/],
    ['rendr --help-all', /unknown command rendr/, /did you mean render\?/],
    ['--help rendr', /unknown command rendr/, /did you mean render\?/],
    ['help rendr --help', /unknown command rendr/, /did you mean render\?/],
    ['nosuch', /unknown command nosuch/, /the commands are demo, doctor, record, .*completion/],
    ['help nosuch', /unknown command nosuch/, /the commands are demo, doctor, record, .*completion/],
    ['nosuch --help', /unknown command nosuch/, /the commands are demo, doctor, record, .*completion/],
    ['help inside', /unknown command inside/, /--inside is an option of ptflame render, ptflame report/],
    ['help mutex', /unknown command mutex/, /the commands are/],
    ['help lock', /unknown command lock/, /did you mean locks\?/],
  ] as const)('%s is refused with what was probably meant', async ([line, message, hint]) => {
    expectRefusal(await ptflame(line.split(' ')), 2, message, hint);
  });

  test('takes precedence over errors in other words', async () => {
    expect((await ptflame(['render', '--bogus', '-h'])).exitCode).toBe(0);
    expect((await ptflame(['record', '--', 'ls', '--help'])).stdout).toBe(''); // --help belongs to ls
  });

  test('-V, -v and --version are the same', async () => {
    const [version, ...others] = await Promise.all(['--version', '-V', '-v'].map((flag) => ptflame([flag])));
    expect(version?.stdout).toMatch(/^\d+\.\d+\.\d+ \(Node [\d.]+, (?:perf .*|no perf)\)\n$/);
    expect(others).toEqual([version, version]);
  });
});

describe.concurrent('parsing', () => {
  test.for([
    [['render', '--quiet', '--', SIX_LINES]],
    [['render', '-q', SIX_LINES]],
    [['--quiet', 'render', SIX_LINES]],
    [['render', '--quiet=true', SIX_LINES, '-o-']],
    [['render', SIX_LINES, '-qo', '-', '-j1']],
    [['render', SIX_LINES, '-q', '--title', '', '--jobs=1', '-o=-', '--format=folded', '--title='].slice(0, 3)],
    [['render', SIX_LINES, '-q', '--min-ns', '9', '--min-ns', '0', '--no-color']],
  ] as const)('%j', async ([args]) => {
    expect(await ptflame(args)).toEqual({ exitCode: 0, stdout: SIX_LINES_FOLDED, stderr: '' });
  });

  test('reads all words after -- as inputs, also with a leading dash', async ({ dir }) => {
    await dir.write('-x', await readFile(SIX_LINES));
    expect((await ptflame(['render', '-q', '--', '-x'], { cwd: dir.path })).stdout).toBe(SIX_LINES_FOLDED);
    expect((await ptflame(['report', '-q', '--', '-x'], { cwd: dir.path })).exitCode).toBe(0);
    expectRefusal(await ptflame(['render', '--', '-y'], { cwd: dir.path }), 1, /-y/);
  });

  test('keeps values unchanged: quotes, dashes, equals signs, line breaks', () => {
    const { flags } = commandNamed('render');
    for (const title of [`'quoted'`, '"a" b', '-', '-x', '--by', 'a=b', '=', '', 'a\nb', '0x10', '007', 'true', '1e3'])
      for (const words of [
        [`--title=${title}`],
        ['--title', 'first', `--title=${title}`],
        [`-o=${title}`, '-o', 'x'],
      ]) {
        const { values } = parseWords([...words, '--quiet'], flags, null);
        expect(values).toEqual({ quiet: true, ...(words[0]?.startsWith('-o') ? { output: [title, 'x'] } : { title }) });
      }
  });

  test('accepts any file ending with --format, and writes folded stacks without an ending', async ({ dir }) => {
    const args = ['render', SIX_LINES, '--quiet', '-o'];
    await ptflame([...args, 'x.png', '--format', 'folded'], { cwd: dir.path });
    await ptflame([...args, 'plain'], { cwd: dir.path });
    await ptflame([...args, 'tmp.aB3dE9xYz0'], { cwd: dir.path }); // a name from mktemp
    for (const name of ['x.png', 'plain', 'tmp.aB3dE9xYz0']) expect(await dir.read(name)).toBe(SIX_LINES_FOLDED);
  });

  test('refuses a flag only if it affects none of several outputs', async ({ dir }) => {
    const args = ['render', SIX_LINES, '--quiet', '-o', 'x.folded', '-o', 'x.svg'];
    const { exitCode } = await ptflame([...args, '--icicle', '--annotate', '--width', '900'], { cwd: dir.path });
    expect(exitCode).toBe(0);
    expect(await dir.read('x.folded')).toContain('mem_heap_block_free:1');
  });

  // Independent of the installed locales: yargs only reads these variables.
  test.for(['de_DE.UTF-8', 'ja_JP.UTF-8', 'C'])('prints English messages in %s', async (locale) => {
    const env = { LANG: locale, LC_ALL: locale, LC_MESSAGES: locale, LANGUAGE: locale.slice(0, 2) };
    const english = { LANG: 'en_US.UTF-8', LC_ALL: 'en_US.UTF-8' };
    for (const args of [
      ['--help'],
      ['render'],
      ['rendr'],
      ['render', '--icicel', SIX_LINES],
      ['render', 'x', '--by', 'thred'],
    ])
      expect(await ptflame(args, { env })).toEqual(await ptflame(args, { env: english }));
  });
});

/** Returns the completions of bash after these words, in the directory `cwd`. */
async function completionsOf(words: readonly string[], cwd: string): Promise<string[]> {
  const script = `source <(node "$PROGRAM" completion bash); COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _ptflame; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await execa('bash', ['-c', script, 'bash', ...words], { cwd, env: { PROGRAM } });
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .sort();
}

describe.concurrent('completion', () => {
  test.for([
    [
      ['ptflame', 're'],
      ['record', 'render', 'report', 'requests'],
    ],
    [['ptflame', 'render', '--an'], ['--annotate']],
    [
      ['ptflame', 'render', '--by', ''],
      ['comm', 'none', 'process', 'thread'],
    ],
    [['ptflame', 'render', 'x', '--by', '=', 'th'], ['thread']],
    [
      ['ptflame', 'render', 'x', '--by', '='],
      ['comm', 'none', 'process', 'thread'],
    ],
    [
      ['ptflame', 'render', 'tr'],
      ['trace.txt', 'tree'],
    ],
    [['ptflame', 'render', '-o', 'tra'], ['trace.txt']],
    [['ptflame', 'render', 'x', '--temp-dir', 'tr'], ['tree']],
    [['ptflame', 'render', 'x', '--title', 'tr'], []],
    [['ptflame', 'help', 'la'], ['latency']],
    [
      ['ptflame', 'completion', ''],
      ['bash', 'fish', 'zsh'],
    ],
    [['ptflame', 'record', '--', './program', 'tra'], ['trace.txt']],
  ] as const)('%j', async ([words, wanted], { dir }) => {
    await dir.write('trace.txt', '');
    await mkdir(dir.file('tree'));
    expect(await completionsOf(words, dir.path)).toEqual(wanted);
  });

  test.for(['bash', 'zsh', 'fish'] as const)(
    '%s accepts the script, which has every command and flag',
    async (shell, { dir, skip }) => {
      const { stdout, exitCode } = await ptflame(['completion'], { env: { SHELL: `/usr/bin/${shell}` } });
      expect(exitCode).toBe(0);
      expect(await ptflame(['completion', shell])).toMatchObject({ stdout });
      for (const { name, flags } of COMMANDS)
        for (const word of [name, ...flags.map((flag) => (shell === 'fish' ? `-l ${flag.name}` : `--${flag.name}`))])
          expect(stdout).toContain(word);
      const script = await dir.write('script', stdout);
      const check = await execa(shell, ['-n', script], { reject: false });
      if (check.code === 'ENOENT') skip(`${shell} is not installed`);
      expect({ exitCode: check.exitCode, stderr: check.stderr }).toEqual({ exitCode: 0, stderr: '' });
    },
  );
});

describe.concurrent('the man page', () => {
  test('has every command, flag and exit code, and groff prints no warnings', async ({ skip }) => {
    const { stdout: source } = await ptflame(['help', '--man']);
    const { stdout, stderr, code } = await execa('groff', ['-man', '-Tascii', '-ww', '-P-cbou'], {
      input: source,
      reject: false,
    });
    const text = code === 'ENOENT' ? source.replaceAll('\\-', '-') : stdout;
    for (const { name, flags } of COMMANDS)
      for (const word of [`ptflame ${name}`, ...flags.map((flag) => `--${flag.name}`)]) expect(text).toContain(word);
    for (const [exitCode, meaning] of DESCRIPTION.exitCodes)
      expect(text).toMatch(new RegExp(`^.*${exitCode}\\s+${meaning.slice(0, 20)}`, 'm'));
    if (code === 'ENOENT') skip('groff is not installed');
    expect(stderr).toBe('');
  });
});
