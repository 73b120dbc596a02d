/**
 * Remembers what a reader prefers, on every page of the browser. Browsers may deny storage to pages opened as files.
 */

export function preference(name: string): string | null {
  try {
    return localStorage.getItem(`ptflame-${name}`);
  } catch {
    return null;
  }
}

/** The choice is lost when the page is closed, if it cannot be stored. */
export function prefer(name: string, value: string): void {
  chosen.set(name, value);
  try {
    localStorage.setItem(`ptflame-${name}`, value);
  } catch {
    // storage is denied
  }
}

const chosen = new Map<string, string>();

/** Whether a click zooms; otherwise it selects, and a double click zooms. */
export function clicksZoom(): boolean {
  return (chosen.get('click') ?? preference('click')) === 'zooms';
}

export function setClicksZoom(isOn: boolean): void {
  prefer('click', isOn ? 'zooms' : 'selects');
}
