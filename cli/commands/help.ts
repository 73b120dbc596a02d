/**
 * `ptflame help`: prints help about ptflame or a command, or the man page.
 */
import * as z from 'zod';
import { PTFLAME_VERSION } from '../../src/model/version.js';
import { general } from '../options/shared.js';
import { helpWidth } from '../terminal/width.js';
import { type Command, loadCommands, type Program } from '../usage/command.js';
import { defineCommand } from '../usage/define-command.js';
import { type Flag, flag, group } from '../usage/flag.js';
import {
  byTask,
  commandHelp,
  completeHelp,
  defaultText,
  ENVIRONMENT,
  flagGroups,
  GENERAL_OPTIONS,
  overview,
  relatives,
  taskText,
  usageLine,
  valueText,
} from '../usage/help.js';
import { commandOf } from '../usage/usage-errors.js';

/** The options of `ptflame help`. */
const HelpOptions = z.object({
  command: z.string().optional(),
  ...group('Output', { man: flag(z.boolean().default(false), 'print the man page: ptflame help --man | man -l -') }),
  ...general(),
});

export const command = defineCommand({
  examples: [
    ['ptflame help render', 'the same as ptflame render --help'],
    ['ptflame help render --help-all', 'all its options'],
    ['ptflame help --man | man -l -', 'the man page'],
  ],
  arguments: [{ property: 'command', placeholder: 'COMMAND', description: 'a command', isOptional: true }],
  schema: HelpOptions,
  run: async ({ command: name, man }, _signal, { program }) => {
    const command = await commandOf(name, program.commands);
    await help(command, { man, isComplete: false }, program);
  },
});

/** What is printed of a command: the man page of all, all its options, or those that most users need. */
interface HelpForm {
  readonly man: boolean;
  readonly isComplete: boolean;
}

/** `command`: null for ptflame as a whole. */
export async function help(command: Command | null, { man, isComplete }: HelpForm, program: Program): Promise<void> {
  const text = man
    ? manPage(program, await loadCommands(program.commands))
    : `${helpLines(command, isComplete, program).join('\n')}\n`;
  process.stdout.write(text);
}

function helpLines(command: Command | null, isComplete: boolean, program: Program): string[] {
  if (command === null) return overview(program, helpWidth());
  return (isComplete ? completeHelp : commandHelp)(command, program, helpWidth());
}

/** Formats the man page, as source for man(7). `commands`: all, loaded. */
function manPage(program: Program, commands: readonly Command[]): string {
  const { exitCodes } = program;
  const lines = [
    `.TH PTFLAME 1 "" "ptflame ${PTFLAME_VERSION}" "User Commands"`,
    '.nh', // no hyphenation, which would change names
    '.ad l',
    ...section('NAME', ['ptflame \\- wall\\-clock flame graphs from Intel Processor Trace']),
    ...section('SYNOPSIS', commands.flatMap((command) => ['.br', roff(usageLine(command))]).slice(1)),
    ...section('DESCRIPTION', [
      roff(
        'Intel PT records every branch of a program with nanosecond times. ptflame replays the calls and returns of each thread into its stacks, and shows where the wall-clock time went: on the CPU, in system calls, blocked.',
      ),
      ...byTask(program.tasks, commands).flatMap(([task, own]) => [
        `.SS ${roff(taskText(task))}`,
        ...own.flatMap(({ name, summary }) => term(bold(name), roff(summary))),
      ]),
    ]),
    ...section('OPTIONS', [
      'All commands accept these options.',
      ...GENERAL_OPTIONS.flatMap(([spelling, meaning]) => term(bold(spelling.trim()), roff(meaning))),
    ]),
    ...section(
      'COMMANDS',
      commands.flatMap((command) => commandLines(command, program)),
    ),
    ...section(
      'EXIT STATUS',
      exitCodes.flatMap(([code, meaning]) => term(String(code), roff(meaning))),
    ),
    ...section(
      'ENVIRONMENT',
      ENVIRONMENT.flatMap(([name, meaning]) => term(bold(name), roff(meaning))),
    ),
    ...section('SEE ALSO', ['.BR perf\\-record (1),', '.BR perf\\-script (1),', '.BR perf\\-intel\\-pt (1)']),
  ];
  return `${lines.join('\n')}\n`;
}

function commandLines(command: Command, program: Program): string[] {
  const groups = flagGroups(command.flags).filter(([heading]) => heading !== 'General'); // listed once, in OPTIONS
  return [
    `.SS ${roff(`ptflame ${command.name}`)}`,
    roff(`${command.summary}.`.replace(/^./, (letter) => letter.toUpperCase())),
    ...(command.details === undefined ? [] : [roff(command.details)]),
    '.PP',
    bold(usageLine(command)),
    ...command.arguments.flatMap(({ placeholder, description }) => term(italic(placeholder), roff(description))),
    ...groups.flatMap(([heading, flags]) => ['.PP', `${roff(heading)}:`, ...flags.flatMap(flagLines)]),
    '.PP',
    'Examples:',
    ...command.examples.flatMap(([text, meaning]) => term(bold(text), roff(meaning))),
    '.PP',
    roff(`See also: ${relatives(command, program)}`),
  ];
}

function flagLines(flag: Flag): string[] {
  const spellings = [...(flag.alias === null ? [] : [bold(`-${flag.alias}`)]), bold(`--${flag.name}`)].join(', ');
  return term(
    `${spellings}${valueText(flag) === '' ? '' : italic(valueText(flag))}`,
    roff(flag.description + defaultText(flag)),
  );
}

function section(heading: string, lines: readonly string[]): string[] {
  return [`.SH ${heading}`, ...lines];
}

/** Formats a paragraph with a hanging term. */
function term(what: string, meaning: string): string[] {
  return ['.TP', what, meaning];
}

function bold(text: string): string {
  return `\\fB${roff(text)}\\fR`;
}

function italic(text: string): string {
  return `\\fI${roff(text)}\\fR`;
}

/** Escapes text for roff: backslashes, dashes (so that they can be copied), and characters that would begin a request. */
function roff(text: string): string {
  const escaped = text.replaceAll('\\', '\\e').replaceAll('-', '\\-').replaceAll('…', '...');
  return escaped
    .replace(/^(?=[.'])/, '\\&')
    .replaceAll("'", '\\(aq')
    .replaceAll('^', '\\(ha')
    .replaceAll('~', '\\(ti');
}
