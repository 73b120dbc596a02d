/**
 * `ptflame completion`: prints a completion script for a shell.
 */
import { basename } from 'node:path';
import type { CompletionOptions } from '../../options/completion.js';
import { bashCompletion } from '../../usage/bash.js';
import type { Command } from '../../usage/command.js';
import { fishCompletion } from '../../usage/fish.js';
import { zshCompletion } from '../../usage/zsh.js';

const SCRIPTS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;
type Shell = keyof typeof SCRIPTS;

export function completion({ shell }: CompletionOptions, commands: readonly Command[]): void {
  process.stdout.write(`${SCRIPTS[shell ?? shellOfUser()](commands).join('\n')}\n`);
}

function shellOfUser(): Shell {
  const name = basename(process.env['SHELL'] ?? '');
  return name in SCRIPTS ? (name as Shell) : 'bash';
}
