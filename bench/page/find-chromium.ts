/**
 * Finds a Chromium or Chrome that starts.
 */
import { execFileSync } from 'node:child_process';
import { delimiter, isAbsolute, join } from 'node:path';

/** Variables that name a browser for tests. The first one that is set is used, and no other browser is tried. */
const VARIABLES = ['CHROMIUM', 'CHROME_PATH', 'CHROME_BIN', 'PUPPETEER_EXECUTABLE_PATH'];

const USUAL_NAMES = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
  '/opt/google/chrome/chrome',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** Chromium without the windows, tabs and menus around pages. */
const SHELLS = ['chromium-headless-shell', 'chrome-headless-shell'];

/** Returns undefined if there is none. */
export function findChromium(env: NodeJS.ProcessEnv = process.env): string | undefined {
  return findNamed([...USUAL_NAMES, ...SHELLS], env);
}

/** Prefers a browser that shows the same pages in half the CPU time. */
export function findChromiumForTests(env: NodeJS.ProcessEnv = process.env): string | undefined {
  return findNamed([...SHELLS, ...USUAL_NAMES], env);
}

function findNamed(names: readonly string[], env: NodeJS.ProcessEnv): string | undefined {
  const named = VARIABLES.map((name) => env[name]).find(Boolean);
  return (named ? [named] : names).flatMap((name) => candidatePaths(name, env['PATH'] ?? '')).find(isChromium);
}

function candidatePaths(name: string, path: string): string[] {
  return isAbsolute(name) ? [name] : path.split(delimiter).map((directory) => join(directory, name));
}

/** Runs it to find out: Ubuntu's `chromium-browser` may be a script that only explains how to install one. */
function isChromium(path: string): boolean {
  try {
    const version = execFileSync(path, ['--version'], { stdio: ['ignore', 'pipe', 'ignore'], timeout: 30_000 });
    return /\bchrom(e|ium)\b/i.test(String(version));
  } catch {
    return false;
  }
}
