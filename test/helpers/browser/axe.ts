/**
 * Checks a page with axe-core. The page must have been opened with `bypassCSP`.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/**
 * Returns what is wrong, with the first place; `within`: a selector of a part of the page. The dark theme differs from the light
 * one in its colours: only they are checked.
 */
export function axeViolations(page: Page, within = 'html'): Promise<string[]> {
  return page.evaluate(
    async ([source, part]) => {
      type Axe = { run: (part: string, options: object) => Promise<{ violations: Violation[] }> };
      const holder = globalThis as unknown as { axe?: Axe };
      if (!holder.axe) new Function(source)();
      const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
      const options = { resultTypes: ['violations'], ...(isDark && { runOnly: ['color-contrast'] }) };
      const { violations } = await (holder.axe as Axe).run(part, options);
      return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`);
    },
    [AXE, within] as const,
  );
}

/** Checks a page, or a part of it, in both themes. */
export async function expectAccessible(page: Page, within?: string): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await axeViolations(page, within), colorScheme).toEqual([]);
  }
}
