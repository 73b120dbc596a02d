/**
 * Formats help for the terminal: examples first, then one screen of options, or all by group.
 */
import { wrap } from '../terminal/width.js';
import type { Argument, Command, CommandEntry, Program, Task } from './command.js';
import type { Flag } from './flag.js';

const TITLE = 'ptflame: wall-clock flame graphs from Intel Processor Trace';
const FIRST_STEPS: Command['examples'] = [
  ['ptflame demo', 'draw the bundled trace: flame.html'],
  ['ptflame record -p 1234 -t 1s', 'record a second of a process'],
  ['ptflame render perf.data -o flame.html', 'draw it; then open flame.html in a browser'],
  ['ptflame latency do_command perf.data', 'find out why calls of a function are slow'],
];

const MAX_EXAMPLE_WIDTH = 40;

/** `ptflame --help`. */
export function overview(program: Program, width: number): string[] {
  const { commands, exitCodes } = program;
  const column = widestTerm(commands.map(({ name }) => [name]));
  const tasks = byTask(program.tasks, commands).flatMap(([task, own]) => {
    const rows = own.map(({ name, summary }) => [name, summary] as const);
    return section(taskText(task), definitions(rows, width, column));
  });
  return [
    TITLE,
    '',
    'Usage: ptflame COMMAND [OPTIONS] [ARGUMENTS]',
    ...section('Examples', definitions(FIRST_STEPS, width, widestTerm(FIRST_STEPS, MAX_EXAMPLE_WIDTH))),
    ...tasks,
    ...section('Options', definitions(GENERAL_OPTIONS, width)),
    ...exitSection(exitCodes, width),
    ...section('Environment', definitions(ENVIRONMENT, width)),
    '',
    ...wrap('ptflame help COMMAND explains a command and the options that most users need.', width),
  ];
}

/** What a terminal of 80 columns and the usual height shows at once. */
const SCREEN_LINES = 30;
/** In the help of one screen: as many as there is space for. */
const SHORT_EXAMPLES = { most: 3, least: 2 } as const;

/** `ptflame render --help`: the options that most users need, or all of them if a screen has space for that. */
export function commandHelp(command: Command, program: Program, width: number): string[] {
  const all = completeHelp(command, program, width);
  if (all.length <= SCREEN_LINES) return all;
  const short = shortHelp(command, program, { width, maxExamples: SHORT_EXAMPLES.most });
  return short.length <= SCREEN_LINES
    ? short
    : shortHelp(command, program, { width, maxExamples: SHORT_EXAMPLES.least });
}

/** `ptflame render --help-all`: all options by group. */
export function completeHelp(command: Command, program: Program, width: number): string[] {
  const groups = flagGroups(command.flags).map(
    ([heading, flags]) => [heading, [...(heading === 'General' ? HELPS : []), ...flags.map(flagRow)]] as const,
  );
  const column = widestTerm(groups.flatMap(([, rows]) => rows));
  return [
    ...head(command, width),
    ...(command.details === undefined ? [] : ['', ...wrap(command.details, width)]),
    ...section('Examples', examples(command.examples, width)),
    ...argumentSection(command, ({ description }) => description, width),
    ...groups.flatMap(([heading, rows]) => section(heading, definitions(rows, width, column))),
    ...exitSection(program.exitCodes, width),
    '',
    ...related(command, program, width),
  ];
}

function shortHelp(
  command: Command,
  program: Program,
  { width, maxExamples }: { readonly width: number; readonly maxExamples: number },
): string[] {
  const flags = command.flags;
  const rows = flags.flatMap((flag) => (flag.short === null ? [] : [[flagRow(flag)[0], flag.short] as const]));
  const rest = `ptflame ${command.name} --help-all explains all ${flags.length} options.`;
  return [
    ...head(command, width),
    ...section('Examples', examples(command.examples.slice(0, maxExamples), width)),
    ...argumentSection(command, ({ short, description }) => short ?? description, width),
    ...section('Common options', definitions(rows, width)),
    '',
    rest,
    ...related(command, program, width),
  ];
}

function head(command: Command, width: number): string[] {
  return [...wrap(`ptflame ${command.name}: ${command.summary}`, width), '', `Usage: ${usageLine(command)}`];
}

function argumentSection(
  { arguments: positional }: Command,
  meaning: (argument: Argument) => string,
  width: number,
): string[] {
  const rows = positional.map((argument) => [argumentText(argument), meaning(argument)] as const);
  return rows.length === 0 ? [] : section('Arguments', definitions(rows, width));
}

function related(command: Command, program: Program, width: number): string[] {
  return wrap(`See also: ${relatives(command, program)}`, width);
}

/** "ptflame latency [OPTIONS] FUNCTION INPUT...". */
export function usageLine({ name, arguments: positional, runsCommand }: Command): string {
  return [
    'ptflame',
    name,
    '[OPTIONS]',
    ...positional.map(argumentText),
    ...(runsCommand ? ['[-- COMMAND ARGUMENTS]'] : []),
  ].join(' ');
}

function section(heading: string, lines: readonly string[]): string[] {
  return ['', `${heading}:`, ...lines];
}

function examples(all: Command['examples'], width: number): string[] {
  return all.flatMap(([text, meaning]) => {
    const line = `  ${text}  # ${meaning}`;
    return line.length <= width ? [line] : [`  ${text}`, ...wrap(meaning, width - 6).map((part) => `      ${part}`)];
  });
}

function exitSection(exitCodes: Program['exitCodes'], width: number): string[] {
  const rows = exitCodes.map(([code, meaning]) => [String(code), meaning] as const);
  return section('Exit codes', definitions(rows, width));
}

const HELPS: readonly (readonly [string, string])[] = [
  ['-h, --help', 'explain the options that most users need'],
  ['    --help-all', 'explain all options'],
];
export const GENERAL_OPTIONS: readonly (readonly [string, string])[] = [
  ...HELPS,
  ['-V, --version', 'print the versions of ptflame, Node.js and perf'],
  ['-q, --quiet', 'print results and errors only'],
  ['    --no-color', 'print without colour, like NO_COLOR=1'],
];

/** Environment variables that ptflame reads. */
export const ENVIRONMENT: readonly (readonly [name: string, meaning: string])[] = [
  ['COLUMNS', 'width of help, tables and progress'],
  ['DEBUGINFOD_URLS', 'servers of --debuginfod: docs/decoder.md'],
  ['NO_COLOR', 'if not empty, print without colour'],
  ['SHELL', 'the default shell of ptflame completion'],
];

function flagRow(flag: Flag): readonly [term: string, meaning: string] {
  const short = flag.alias === null ? '    ' : `-${flag.alias}, `;
  return [`${short}--${flag.name}${valueText(flag)}`, `${flag.description}${defaultText(flag)}`];
}

/** " FILE", "[=SIZE]", or "" if the flag takes no value. */
export function valueText({ value, isValueOptional }: Flag): string {
  if (value === null) return '';
  return isValueOptional ? `[=${value}]` : ` ${value}`;
}

/** " (default: 40)", unless the description states it or it is false or 0. */
export function defaultText({ defaultValue, description }: Flag): string {
  const isDescribed = description.includes('default');
  return isDescribed || defaultValue === undefined || defaultValue === false || defaultValue === 0
    ? ''
    : ` (default: ${defaultValue})`;
}

const INDENT = 2;
const GAP = 2;
/** Longer terms get their own line. */
const MAX_TERM_WIDTH = 24;

type Rows = readonly (readonly [term: string, ...meaning: string[]])[];

/** Returns the width of the widest term that shares a line with its meaning. */
function widestTerm(rows: Rows, maxWidth = MAX_TERM_WIDTH): number {
  return Math.max(0, ...rows.map(([term]) => term.length).filter((length) => length <= maxWidth));
}

/** Formats terms and their meanings in two columns, the first `termWidth` wide. */
function definitions(
  rows: readonly (readonly [term: string, meaning: string])[],
  width: number,
  termWidth = widestTerm(rows),
): string[] {
  const column = INDENT + termWidth + GAP;
  return rows.flatMap(([term, meaning]) => {
    const lines = wrap(meaning, Math.max(width - column, MAX_TERM_WIDTH)).map((line) => ' '.repeat(column) + line);
    const head = ' '.repeat(INDENT) + term;
    if (term.length > termWidth) return [head, ...lines];
    return [head.padEnd(column) + lines[0].slice(column), ...lines.slice(1)];
  });
}

/** Groups commands by task and flags by heading, for help, the man page and the reference. */
export function byTask<Listed extends CommandEntry>(
  tasks: readonly Task[],
  commands: readonly Listed[],
): [Task, Listed[]][] {
  return tasks.map((task) => [task, commands.filter((command) => command.task === task)]);
}

/** "Waits and probes, of recordings made with …". */
export function taskText({ title, about }: Task): string {
  return about === undefined ? title : `${title}, ${about}`;
}

/** The other commands of its task: "ptflame locks, ptflame requests". */
export function relatives({ name, task }: CommandEntry, { commands }: Program): string {
  const others = commands.filter((each) => each.task === task && each.name !== name);
  return others.map((each) => `ptflame ${each.name}`).join(', ');
}

/** "INPUT...", "[SHELL]". */
export function argumentText({ placeholder, isMany, isOptional }: Argument): string {
  const text = isMany ? `${placeholder}...` : placeholder;
  return isOptional ? `[${text}]` : text;
}

/** Groups flags by heading, in their order. */
export function flagGroups(flags: readonly Flag[]): [heading: string, flags: Flag[]][] {
  const groups = new Map<string, Flag[]>();
  for (const each of flags) groups.set(each.group, [...(groups.get(each.group) ?? []), each]);
  return [...groups];
}
