/**
 * Generates the completion script for zsh, with descriptions of options.
 */

import { argumentCandidates, type Candidates, quoted, spellings, valueCandidates } from './bash.js';
import type { Command } from './command.js';
import type { Flag } from './flag.js';
import { argumentText } from './help.js';

export function zshCompletion(commands: readonly Command[]): string[] {
  return [
    '#compdef ptflame',
    '# Completion of ptflame for zsh: source <(ptflame completion zsh)',
    '_ptflame() {',
    '  if ((CURRENT == 2)); then',
    '    local -a commands=(',
    ...commands.map(({ name, summary }) => `      ${quoted(`${name}:${summary}`)}`),
    '    )',
    "    _describe -t commands 'command of ptflame' commands",
    '    return',
    '  fi',
    '  local name=$words[2]',
    '  shift words',
    '  ((CURRENT--))',
    '  case $name in',
    ...commands.flatMap((command) => commandCase(command, commands)).map((line) => `    ${line}`),
    '  esac',
    '}',
    'compdef _ptflame ptflame',
  ];
}

function commandCase(command: Command, commands: readonly Command[]): string[] {
  const recorded = command.runsCommand ? ["'*:: :_normal'"] : [];
  const specs = [
    ...command.flags.flatMap(flagSpecs),
    quoted('(-h --help)-h[print help]'),
    quoted('(-h --help)--help[print help]'),
    quoted('--help-all[explain all options]'),
    ...command.arguments.map((argument) => {
      const prefix = argument.isMany ? '*' : argument.isOptional ? ':' : '';
      return quoted(`${prefix}:${argumentText(argument)}:${action(argumentCandidates(argument, commands))}`);
    }),
    ...recorded,
  ];
  return [
    `${command.name})`,
    '  _arguments -s \\',
    ...specs.slice(0, -1).map((spec) => `    ${spec} \\`),
    `    ${specs.at(-1)}`,
    '  ;;',
  ];
}

/** `'(-o --output)--output=[where to write]:FILE:_files'`, for each spelling. */
function flagSpecs(flag: Flag): string[] {
  const candidates = valueCandidates(flag);
  const others = flag.isList ? '*' : `(${spellings(flag).join(' ')})`;
  const description = `[${flag.description.replace(/[[\]\\:]/g, '\\$&')}]`;
  const value =
    candidates === null
      ? ''
      : `${flag.isValueOptional ? '::' : ':'}${flag.value?.replaceAll(':', '')}:${action(candidates)}`;
  return spellings(flag).map((spelling) => {
    const joint = candidates === null ? '' : spelling.startsWith('--') ? '=' : '+';
    return quoted(`${others}${spelling}${joint}${description}${value}`);
  });
}

function action(candidates: Candidates): string {
  switch (candidates.kind) {
    case 'choices':
      return `(${candidates.choices.join(' ')})`;
    case 'files':
      return '_files';
    case 'directories':
      return '_files -/';
    case 'nothing':
      return ' ';
  }
}
