/**
 * Formats help for the terminal: examples first, options by group.
 */
import type { Command, Program } from './command.js';
import type { Flag } from './flag.js';
import { argumentText, byTask, flagGroups } from './groups.js';
import { definitions, widestTerm, wrap } from './lines.js';

const TITLE = 'ptflame: wall-clock flame graphs from Intel Processor Trace';
const FIRST_STEPS: Command['examples'] = [
  ['ptflame demo', 'draw the bundled trace: flame.html'],
  ['ptflame record -p 1234 -t 1s', 'record a second of a process'],
  ['ptflame render perf.data -o flame.html', 'draw it; then open flame.html in a browser'],
  ['ptflame latency do_command perf.data', 'find out why calls of a function are slow'],
];

const MAX_EXAMPLE_WIDTH = 40;

/** `ptflame --help`. */
export function overview({ commands, exitCodes }: Program, width: number): string[] {
  const column = widestTerm(commands.map(({ name }) => [name]));
  const tasks = byTask(commands).flatMap(([task, own]) => {
    const rows = own.map(({ name, summary }) => [name, summary] as const);
    return section(task, definitions(rows, width, column));
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
    ...wrap('ptflame help COMMAND explains a command and its options.', width),
  ];
}

/** `ptflame render --help`. */
export function commandHelp(command: Command, { exitCodes }: Program, width: number): string[] {
  const groups = flagGroups(command.flags()).map(
    ([heading, flags]) => [heading, [...(heading === 'General' ? [HELP] : []), ...flags.map(flagRow)]] as const,
  );
  const column = widestTerm(groups.flatMap(([, rows]) => rows));
  const positional = command.arguments.map((argument) => [argumentText(argument), argument.description] as const);
  return [
    ...wrap(`ptflame ${command.name}: ${command.summary}`, width),
    ...(command.details === undefined ? [] : ['', ...wrap(command.details, width)]),
    '',
    `Usage: ${usageLine(command)}`,
    ...section('Examples', examples(command, width)),
    ...(positional.length === 0 ? [] : section('Arguments', definitions(positional, width))),
    ...groups.flatMap(([heading, rows]) => section(heading, definitions(rows, width, column))),
    ...exitSection(exitCodes, width),
  ];
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

function examples({ examples: all }: Command, width: number): string[] {
  return all.flatMap(([text, meaning]) => [`  ${text}`, ...wrap(meaning, width - 6).map((line) => `      ${line}`)]);
}

function exitSection(exitCodes: Program['exitCodes'], width: number): string[] {
  const rows = exitCodes.map(([code, meaning]) => [String(code), meaning] as const);
  return section('Exit codes', definitions(rows, width));
}

const HELP = ['-h, --help', 'print this help'] as const;
export const GENERAL_OPTIONS: readonly (readonly [string, string])[] = [
  HELP,
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
