/**
 * Light or dark: as the system has it, until the reader chooses.
 */
const KEY = 'ptflame-theme';

/** As it was chosen when the page was open before. */
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

/** A browser may keep nothing for files. */
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
    // then it is forgotten with the page
  }
}
