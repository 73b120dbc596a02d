/**
 * Switches between the light and the dark theme; the default is that of the system. Tells canvases when colours change.
 */
import { keepForPrint } from './canvas.js';

const KEY = 'ptflame-theme';

/** Restores the theme chosen on an earlier visit. */
export function restoreTheme(): void {
  const chosen = read();
  if (chosen) document.documentElement.dataset['theme'] = chosen;
}

export function switchTheme(): void {
  const { dataset } = document.documentElement;
  const isDark = dataset['theme'] ? dataset['theme'] === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  dataset['theme'] = isDark ? 'light' : 'dark';
  write(dataset['theme']);
}

/** Calls back when the theme changes, and before and after the page is printed, which is in light colours. */
export function onThemeChange(changed: () => void): void {
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', changed);
  matchMedia('print').addEventListener('change', ({ matches }) => {
    changed();
    if (matches) keepForPrint(document.querySelectorAll('canvas'));
  });
  new MutationObserver(changed).observe(document.documentElement, { attributeFilter: ['data-theme'] });
}

/** Browsers may deny storage to pages opened as files. */
function read(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function write(theme: string): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // the choice is lost when the page is closed
  }
}
