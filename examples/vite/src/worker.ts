/** Analyzes the files that the page sends. */
import { analyze, PtflameError, renderSvg } from 'ptflame';
import { reportOf } from 'ptflame/answers';
import type { Found } from './messages';

addEventListener('message', async ({ data: files }: MessageEvent<File[]>) => {
  postMessage(await find(files));
});

async function find(files: File[]): Promise<Found> {
  try {
    const profile = await analyze(files, { durations: true });
    const { functions } = reportOf(profile, { sort: 'self', top: 10 });
    return { functions, picture: [...renderSvg(profile)].join('') };
  } catch (error) {
    if (!(error instanceof PtflameError)) throw error;
    return { problem: `${error.message} (${error.code})` };
  }
}
