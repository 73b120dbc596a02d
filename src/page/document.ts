/**
 * The beginning of a page: one file, whose content-security-policy forbids the network.
 */

import { VARIABLES } from '../render/frames/palette.js';
import { xml } from '../render/svg/xml.js';

export interface DocumentStart {
  /** Of the window; any text. */
  readonly title: string;
  /** The content-security-policy; it has no quotes other than single ones. */
  readonly policy: string;
  readonly style: string;
  /** A comment before everything else; it contains no `--`. */
  readonly notice?: string;
}

/** What a report has besides its data. */
export interface ReportHead {
  readonly windowTitle: string;
  /** Its name, its size, and how far to trust it; names in it are escaped. */
  readonly markup: string;
  /** The state in which it starts, as in an address. */
  readonly start: string;
}

/** Returns the page up to the beginning of its body. */
export function documentStart({ title, policy, style, notice }: DocumentStart): string {
  return `<!doctype html>
${notice === undefined ? '' : `<!--\n${notice}\n-->\n`}<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${xml(title)}</title>
<style>${style}</style>
</head>
<body>
`;
}

/** Writes the colours of the page as CSS variables, for the light and the dark theme. */
export function themeStyle(): string {
  const lines = Object.entries(VARIABLES).map(([name, { light, dark }]) => `--${name}:light-dark(${light},${dark})`);
  return `:root{color-scheme:light dark;${lines.join(';')}}`;
}
