/**
 * `ptflame completion`: prints a completion script for a shell.
 */

import { basename } from 'node:path';
import * as z from 'zod';
import { general } from '../options/shared.js';
import { bashCompletion } from '../usage/bash.js';
import { type Command, loadCommands } from '../usage/command.js';
import { defineCommand } from '../usage/define-command.js';
import { fishCompletion } from '../usage/fish.js';
import { zshCompletion } from '../usage/zsh.js';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

const CompletionOptions = z.object({ shell: z.enum(SHELLS).optional(), ...general() });
type CompletionOptions = z.infer<typeof CompletionOptions>;

export const command = defineCommand({
  examples: [
    ['source <(ptflame completion bash)', 'in ~/.bashrc'],
    ['source <(ptflame completion zsh)', 'in ~/.zshrc, after compinit'],
    ['ptflame completion fish > ~/.config/fish/completions/ptflame.fish', 'once'],
  ],
  arguments: [
    {
      property: 'shell',
      placeholder: 'SHELL',
      description: 'bash, zsh or fish (default: by $SHELL, else bash)',
      isOptional: true,
      choices: SHELLS,
    },
  ],
  schema: CompletionOptions,
  run: async (options, _signal, { program }) => completion(options, await loadCommands(program.commands)),
});

const SCRIPTS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;
type Shell = keyof typeof SCRIPTS;

export function completion({ shell }: CompletionOptions, commands: readonly Command[]): void {
  process.stdout.write(`${SCRIPTS[shell ?? shellOfUser()](commands).join('\n')}\n`);
}

function shellOfUser(): Shell {
  const name = basename(process.env['SHELL'] ?? '');
  return name in SCRIPTS ? (name as Shell) : 'bash';
}
