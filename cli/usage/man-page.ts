/**
 * Formats the man page, as source for man(7).
 */
import { PTFLAME_VERSION } from '../../src/model/version.js';
import type { Command, Program } from './command.js';
import type { Flag } from './flag.js';
import {
  byTask,
  defaultText,
  ENVIRONMENT,
  flagGroups,
  GENERAL_OPTIONS,
  relatives,
  taskText,
  usageLine,
  valueText,
} from './help.js';

/** `commands`: all, loaded. */
export function manPage(program: Program, commands: readonly Command[]): string {
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
