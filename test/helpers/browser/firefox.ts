/**
 * Starts Firefox as it is installed, through WebDriver BiDi: Playwright's own build of it is not needed.
 */
import { createRequire } from 'node:module';
import { type Browser, firefox } from 'playwright-core';

interface Socket {
  send(data: unknown, ...rest: unknown[]): void;
  emit(event: 'message', data: Buffer, isBinary: boolean): void;
}

const require = createRequire(import.meta.url);

/** Playwright begins with this command, which Firefox 153 does not know. Without it, `emulateMedia` does not work. */
const UNKNOWN = '"emulation.setMediaFeaturesOverride"';

export async function launchFirefox(executablePath: string): Promise<Browser> {
  answerUnknown();
  return firefox.launch({ executablePath, channel: 'moz-firefox', timeout: 120_000 });
}

/** Answers the command that Firefox does not know, in its place. */
function answerUnknown(): void {
  const { ws } = require('playwright-core/lib/utilsBundle') as { ws: { prototype: Socket & { isPatched?: true } } };
  const { prototype } = ws;
  if (prototype.isPatched) return;
  const { send } = prototype;
  prototype.isPatched = true;
  prototype.send = function (data, ...rest) {
    if (!String(data).includes(UNKNOWN)) return send.call(this, data, ...rest);
    const { id } = JSON.parse(String(data));
    const answer = Buffer.from(JSON.stringify({ type: 'success', id, result: {} }));
    setImmediate(() => this.emit('message', answer, false));
  };
}
