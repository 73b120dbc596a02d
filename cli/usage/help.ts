/**
 * What is known of the commands → help for the terminal: examples first, options by kind.
 */
import type { Command, Program } from './command.js';
import type { Flag } from './flag.js';
import { argumentText, byTask, flagGroups } from './groups.js';
import { definitions, widestTerm, wrap } from './lines.js';

const TITLE = 'ptflame: wall-clock flame graphs from Intel Processor Trace';
const FIRST_STEPS: Command['examples'] = [
  ['ptflame demo', 'draw the bundled trace: flame.html'],
  ['ptflame record -p 1234 -t 1s', 'record a second of a process'],
  ['ptflame render perf.data -o flame.html', 'draw it, and open flame.html in a browser'],
  ['ptflame latency do_command perf.data', 'ask why calls of a function are slow'],
];

const WIDEST_EXAMPLE = 40;

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
    ...section('Examples', definitions(FIRST_STEPS, width, widestTerm(FIRST_STEPS, WIDEST_EXAMPLE))),
    ...tasks,
    ...section('Options', definitions(EVERYWHERE, width)),
    ...exitSection(exitCodes, width),
    ...section('Environment', definitions(ENVIRONMENT, width)),
    '',
    ...wrap('ptflame help COMMAND explains a command and all of its options.', width),
  ];
}

/** `ptflame render --help`. */
export function commandHelp(command: Command, { exitCodes }: Program, width: number): string[] {
  const groups = flagGroups(command.flags()).map(
    ([heading, flags]) => [heading, [...(heading === 'General' ? [HELP] : []), ...flags.map(flagRow)]] as const,
  );
  const column = widestTerm(groups.flatMap(([, rows]) => rows));
  const words = command.arguments.map((argument) => [argumentText(argument), argument.description] as const);
  return [
    ...wrap(`ptflame ${command.name}: ${command.summary}`, width),
    ...(command.details === undefined ? [] : ['', ...wrap(command.details, width)]),
    '',
    `Usage: ${usage(command)}`,
    ...section('Examples', examples(command, width)),
    ...(words.length === 0 ? [] : section('Arguments', definitions(words, width))),
    ...groups.flatMap(([heading, rows]) => section(heading, definitions(rows, width, column))),
    ...exitSection(exitCodes, width),
  ];
}

/** "ptflame latency [OPTIONS] FUNCTION INPUT...". */
export function usage({ name, arguments: words, runsCommand }: Command): string {
  return [
    'ptflame',
    name,
    '[OPTIONS]',
    ...words.map(argumentText),
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
export const EVERYWHERE: readonly (readonly [string, string])[] = [
  HELP,
  ['-V, --version', 'print the versions of ptflame, Node.js and perf'],
  ['-q, --quiet', 'print results and errors only'],
  ['    --no-color', 'print without colour, as with NO_COLOR=1 in the environment'],
];

/** What ptflame reads of its environment. */
export const ENVIRONMENT: readonly (readonly [name: string, meaning: string])[] = [
  ['COLUMNS', 'the width of help, tables and progress'],
  ['NO_COLOR', 'if it is set and not empty, nothing is coloured'],
  ['SHELL', 'the shell that ptflame completion writes for, if it is not told'],
];

function flagRow(flag: Flag): readonly [term: string, meaning: string] {
  const short = flag.alias === null ? '    ' : `-${flag.alias}, `;
  return [`${short}--${flag.name}${valueText(flag)}`, `${flag.description}${fallbackText(flag)}`];
}

/** " FILE", or "" of a flag that takes no value. */
export function valueText({ value, isValueOptional }: Flag): string {
  if (value === null) return '';
  return isValueOptional ? `[=${value}]` : ` ${value}`;
}

/** Where the description does not tell it. */
export function fallbackText({ fallback, description }: Flag): string {
  const isTold = description.includes('default');
  return isTold || fallback === undefined || fallback === false || fallback === 0 ? '' : ` (default: ${fallback})`;
}
