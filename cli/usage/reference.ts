/**
 * Formats the reference in docs/cli.md as Markdown.
 */
import type { Command, Program } from './command.js';
import type { Flag } from './flag.js';
import {
  argumentText,
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
export function reference(program: Program, commands: readonly Command[]): string {
  const tasks = byTask(program.tasks, commands);
  const blocks = [
    '## Commands',
    ...tasks.flatMap(([task, own]) => [
      `${taskText(task)}:`,
      own.map(({ name, summary }) => `- [${name}](#ptflame-${name}): ${escaped(summary)}`).join('\n'),
    ]),
    '## Options of every command',
    table(
      'option',
      GENERAL_OPTIONS.map(([spelling, meaning]) => [spelling.trim(), meaning]),
    ),
    '## Environment',
    table('variable', ENVIRONMENT),
    ...tasks.flatMap(([, own]) => own.flatMap((command) => commandBlocks(command, program))),
  ];
  return `${blocks.join('\n\n')}\n`;
}

function commandBlocks(command: Command, program: Program): string[] {
  const groups = flagGroups(command.flags).filter(([heading]) => heading !== 'General'); // listed once, at the top
  const positional = command.arguments.map((argument) => [argumentText(argument), argument.description] as const);
  return [
    `## ptflame ${command.name}`,
    `${command.summary.replace(/^./, (letter) => letter.toUpperCase())}.`,
    ...(command.details === undefined ? [] : [escaped(command.details)]),
    code([usageLine(command)]),
    code(command.examples.flatMap(([text, meaning]) => [`${text}`, `    # ${meaning}`])),
    ...(positional.length === 0 ? [] : [table('argument', positional)]),
    ...groups.map(([heading, flags]) => table(heading.toLowerCase(), flags.map(flagRow))),
    `See also: ${relatives(command, program).replace(/ptflame (\w+)/g, '[$1](#ptflame-$1)')}`,
  ];
}

function flagRow(flag: Flag): readonly [string, string] {
  const short = flag.alias === null ? '' : `-${flag.alias}, `;
  return [`${short}--${flag.name}${valueText(flag)}`, flag.description + defaultText(flag)];
}

function table(title: string, rows: readonly (readonly [term: string, meaning: string])[]): string {
  const lines = rows.map(([term, meaning]) => `| \`${term.replaceAll('|', '\\|')}\` | ${escaped(meaning)} |`);
  return [`| ${title} | |`, '| --- | --- |', ...lines].join('\n');
}

function code(lines: readonly string[]): string {
  return lines.map((line) => `    ${line}`).join('\n');
}

/** Escapes Markdown syntax. */
function escaped(text: string): string {
  return text.replace(/[|<>*_[\]]/g, '\\$&');
}
