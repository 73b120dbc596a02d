/**
 * Generates the completion script for fish.
 */

import { argumentCandidates, type Candidates, valueCandidates } from './bash.js';
import type { Command } from './command.js';
import type { Flag } from './flag.js';

export function fishCompletion(commands: readonly Command[]): string[] {
  const names = commands.map(({ name }) => name).join(' ');
  return [
    '# Completion of ptflame for fish: ptflame completion fish > ~/.config/fish/completions/ptflame.fish',
    'complete -c ptflame -f',
    `set -l none 'not __fish_seen_subcommand_from ${names}'`,
    ...commands.map(({ name, summary }) => `complete -c ptflame -n "$none" -a ${name} -d ${quotedForFish(summary)}`),
    'complete -c ptflame -s h -l help -d "print help"',
    'complete -c ptflame -l help-all -d "explain all options"',
    'complete -c ptflame -n "$none" -s V -l version -d "print versions"',
    ...commands.flatMap((command) => [
      ...command.flags.map((flag) => flagLine(command.name, flag)),
      ...command.arguments.map((argument) => `${seen(command.name)} ${action(argumentCandidates(argument, commands))}`),
      ...(command.runsCommand ? [`${seen(command.name)} -F`] : []),
    ]),
  ];
}

function seen(name: string): string {
  return `complete -c ptflame -n '__fish_seen_subcommand_from ${name}'`;
}

function flagLine(command: string, flag: Flag): string {
  const candidates = valueCandidates(flag);
  const words = [
    seen(command),
    ...(flag.alias === null ? [] : ['-s', flag.alias]),
    ...['-l', flag.name],
    ...(candidates === null || flag.isValueOptional
      ? []
      : [candidates.kind === 'files' ? '-r' : '-x', action(candidates)]),
    ...['-d', quotedForFish(flag.description)],
  ];
  return words.filter((word) => word !== '').join(' ');
}

function action(candidates: Candidates): string {
  switch (candidates.kind) {
    case 'choices':
      return `-a '${candidates.choices.join(' ')}'`;
    case 'files':
      return '-F';
    case 'directories':
      return "-a '(__fish_complete_directories)'";
    case 'nothing':
      return '';
  }
}

/** In single quotes, fish also interprets backslashes. */
function quotedForFish(text: string): string {
  return `'${text.replace(/['\\]/g, '\\$&')}'`;
}
