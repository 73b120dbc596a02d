/**
 * Switches between the light and the dark theme; the default is that of the system.
 */
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
