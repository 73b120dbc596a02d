/**
 * Defines the commands that describe the program: help and completion.
 */
import { CompletionOptions, SHELLS } from '../options/completion.js';
import { HelpOptions } from '../options/help.js';
import type { Command, Program } from '../usage/command.js';
import { defineCommand } from '../usage/define-command.js';
import { commandOf } from '../usage/invocation.js';
import { HELP } from './tasks.js';

export const defineHelp = (program: () => Program): Command =>
  defineCommand({
    name: 'help',
    task: HELP,
    summary: 'explain ptflame or one of its commands',
    examples: [
      ['ptflame help render', 'the same as ptflame render --help'],
      ['ptflame help render --help-all', 'all its options'],
      ['ptflame help --man | man -l -', 'the man page'],
    ],
    arguments: [{ property: 'command', placeholder: 'COMMAND', description: 'a command', isOptional: true }],
    schema: HelpOptions,
    run: async ({ command: name, man }) => {
      const command = commandOf(name, program().commands);
      (await import('../commands/self-description.js')).help(command, { man, isComplete: false }, program());
    },
  });

export const defineCompletion = (program: () => Program): Command =>
  defineCommand({
    name: 'completion',
    task: HELP,
    summary: 'print a script for shell completion',
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
    run: async (options) => (await import('../commands/self-description.js')).completion(options, program().commands),
  });
