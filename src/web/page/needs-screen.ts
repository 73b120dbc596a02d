/**
 * The screen for a recording whose binaries are not all here: which they are, and three ways on.
 */
import { htmlElement as html } from '../../render/viewer/dom.js';
import { shellWords } from '../../render/visible-text.js';
import type { NeededBinaries, NeededBinary } from '../messages.js';
import { commandLine, keyButton, screen } from './screen.js';

interface NeedsEvents {
  readonly choose: () => void;
  readonly showWithout: () => void;
  readonly another: () => void;
}

const SIGNS: Readonly<Record<NeededBinary['state'], string>> = {
  found: '✓',
  missing: '○',
  'other build': '✗',
  '32-bit': '✗',
};

export function needsScreen({ recording, files, unused }: NeededBinaries, events: NeedsEvents): HTMLElement {
  const found = files.filter(({ state }) => state === 'found').length;
  return screen(
    'needs',
    `${recording} needs the binaries that ran`,
    html(
      'p',
      {},
      'A recording has the path through the code, not the code. Drop these files, or the folder with them, here; their names do not matter where build ids are known. Or drop the pack that this command makes where it was recorded:',
    ),
    html('p', {}, commandLine(`ptflame pack ${shellWords([recording])} -o trace.pack`)),
    html(
      'p',
      { class: 'count', role: 'status' },
      `${found} of ${files.length} ${files.length === 1 ? 'is' : 'are'} here`,
    ),
    html('ul', { class: 'binaries' }, ...files.map(row)),
    ...(unused.length === 0
      ? []
      : [html('p', { class: 'quiet' }, `Not needed by this recording: ${unused.join(', ')}`)]),
    html(
      'div',
      { class: 'group' },
      keyButton('Choose files…', 'o', events.choose, true),
      keyButton(withoutWords(files.length, found), '', events.showWithout),
      keyButton('Another recording', 'Esc', events.another),
    ),
  );
}

function withoutWords(files: number, found: number): string {
  if (files - found !== 1) return found === 0 ? 'Show without them' : 'Show without the others';
  return found === 0 ? 'Show without it' : 'Show without the other';
}

function row({ path, state, wanted, found }: NeededBinary): HTMLElement {
  const ids = state === 'other build' ? [`wanted ${wanted}, found ${found}`] : wanted === null ? [] : [wanted];
  return html(
    'li',
    { class: state === '32-bit' ? 'narrow' : state.replace(' ', '-') },
    html('span', { class: 'sign', 'aria-hidden': 'true' }, SIGNS[state]),
    html('span', { class: 'recorded' }, path),
    html('span', { class: 'state' }, wordsOf(state)),
    html('span', { class: 'ids' }, ...ids),
  );
}

function wordsOf(state: NeededBinary['state']): string {
  switch (state) {
    case 'found':
      return 'here';
    case 'missing':
      return 'missing';
    case 'other build':
      return 'another build';
    case '32-bit':
      return '32-bit code, which is not decoded';
  }
}
