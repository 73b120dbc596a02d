/**
 * Prints a profile's tree as an indented outline: `name calls(inferred) self`, siblings by name.
 */
import { type Profile, renderFolded } from '../../../src/index.js';

export function outline(profile: Profile): string {
  const lines: string[] = [];
  for (const line of renderFolded(profile, { annotate: true })) {
    const blank = line.lastIndexOf(' ');
    const frames = line.slice(0, blank).split(';');
    const [, name, calls] = /^(.*?):(\d+(?:\(\d+\))?)(?:,avg:\d+)?$/.exec(frames.at(-1) as string) ?? [];
    lines.push(`${'  '.repeat(frames.length - 1)}${name} ${calls} self ${line.slice(blank + 1).trim()}`);
  }
  return lines.join('\n');
}

/** Removes the indentation that a template literal has in a test. */
export function dedent(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const indent = Math.min(...lines.map((line) => line.search(/\S/)));
  return lines.map((line) => line.slice(indent)).join('\n');
}
