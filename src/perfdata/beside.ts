/**
 * The names of files that are made next to a recording.
 */

/** Returns the path of a recording's notes. */
export function notesPath(recording: string): string {
  return `${recording}.ptflame.json`;
}

/** Returns the path of the recording of wakings. */
export function wakingsPath(recording: string): string {
  return `${recording.replace(/\/+$/, '')}.wakes.data`;
}

/** Returns the recording whose wakings are in a file of that name; null: it has another name. */
export function mainOfWakings(path: string): string | null {
  return /^(.+)\.wakes\.data$/.exec(path)?.[1] ?? null;
}

/** Returns the path of the formats of a recording's tracepoints and probes; a recording of wakings has those of its main one. */
export function formatsPath(recording: string): string {
  const path = recording.replace(/\/+$/, '');
  return `${mainOfWakings(path) ?? path}.formats`;
}
