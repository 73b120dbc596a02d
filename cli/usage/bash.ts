/**
 * Generates the completion script for bash, which does not start ptflame.
 */

import type { Argument, Command } from './command.js';
import type { Flag } from './flag.js';

export function bashCompletion(commands: readonly Command[]): string[] {
  const names = commands.map(({ name }) => name).join(' ');
  const cases = commands.flatMap((command) => commandCase(command, commands)).map((line) => `    ${line}`);
  return [HEAD, `    '') _ptflame_words ${quoted(`${names} --help --help-all --version`)} ;;`, ...cases, TAIL];
}

/** bash splits --by=thread into three words. */
const HEAD = `# Completion of ptflame for bash: source <(ptflame completion bash)
_ptflame_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur"); }
_ptflame_files() { compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen "\${1:--f}" -- "$cur"); }
_ptflame() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]} name= at
  COMPREPLY=()
  if [[ $prev == = ]]; then prev=\${COMP_WORDS[COMP_CWORD - 2]}; fi
  if [[ $cur == = ]]; then cur=; fi
  for ((at = 1; at < COMP_CWORD; at++)); do
    if [[ \${COMP_WORDS[at]} != -* ]]; then name=\${COMP_WORDS[at]}; break; fi
  done
  case $name in`;

const TAIL = `  esac
}
complete -F _ptflame ptflame`;

function commandCase(command: Command, commands: readonly Command[]): string[] {
  const flags = command.flags;
  const words = [...flags.flatMap(spellings), '-h', '--help', '--help-all'].join(' ');
  const [argument] = command.arguments.slice(-1); // the ones before it are not files
  const candidates: Candidates = argument ? argumentCandidates(argument, commands) : { kind: 'nothing' };
  const values = flags.flatMap((flag) => {
    const own = valueCandidates(flag);
    return own === null || flag.isValueOptional ? [] : [`${spellings(flag).join('|')}) ${action(own)} ;;`];
  });
  return [
    `${command.name})`,
    ...(command.runsCommand ? [AFTER_DASHES] : []),
    '  case $prev in',
    ...values.map((line) => `    ${line}`),
    `    *) if [[ $cur == -* ]]; then _ptflame_words ${quoted(words)}; else ${action(candidates)}; fi ;;`,
    '  esac ;;',
  ];
}

/** After "--": a command and its arguments. */
const AFTER_DASHES = `  for ((; at < COMP_CWORD; at++)); do
        if [[ \${COMP_WORDS[at]} == -- ]]; then
          if ((at + 1 == COMP_CWORD)); then _ptflame_files -c; else _ptflame_files; fi
          return
        fi
      done`;

function action(candidates: Candidates): string {
  switch (candidates.kind) {
    case 'choices':
      return `_ptflame_words ${quoted(candidates.choices.join(' '))}`;
    case 'files':
      return '_ptflame_files';
    case 'directories':
      return '_ptflame_files -d';
    case 'nothing':
      return ':';
  }
}

/** Describes what a shell can complete as a value or an argument. */
export type Candidates =
  | { readonly kind: 'choices'; readonly choices: readonly string[] }
  | { readonly kind: 'files' | 'directories' | 'nothing' };

/** Returns null for a flag that takes no value. */
export function valueCandidates({ value, choices, kind }: Flag): Candidates | null {
  if (kind === 'boolean') return null;
  if (choices !== null) return { kind: 'choices', choices };
  return { kind: value === 'FILE' ? 'files' : value === 'DIR' ? 'directories' : 'nothing' };
}

/** `commands`: the candidates for `ptflame help`. */
export function argumentCandidates(
  { choices, isFile, placeholder }: Argument,
  commands: readonly Command[],
): Candidates {
  if (placeholder === 'COMMAND') return { kind: 'choices', choices: commands.map(({ name }) => name) };
  if (choices !== undefined) return { kind: 'choices', choices };
  return { kind: isFile ? 'files' : 'nothing' };
}

/** "-o", "--output". */
export function spellings({ name, alias }: Flag): string[] {
  return [...(alias === null ? [] : [`-${alias}`]), `--${name}`];
}

/** 'it'\''s': quotes a word for a POSIX shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
