/**
 * The first screen: what can be dropped here, and the commands that make it. After a failure, it says what is wrong.
 */
import type { ErrorCode } from '../../model/errors.js';
import { htmlElement as html } from '../../render/viewer/dom.js';
import type { Failure } from '../messages.js';
import { isHosted } from './hosted.js';
import { commandLine, keyButton, screen, withCommands } from './screen.js';

export interface StartEvents {
  readonly choose: () => void;
  readonly demo: () => void;
  /** Shows a trace without times. */
  readonly byCalls: () => void;
  /** Shows the report that was here; null: there was none. */
  readonly back: { readonly name: string; readonly show: () => void } | null;
}

const KINDS: readonly (readonly [kind: string, what: string, command: string])[] = [
  ['Pack', 'a recording and its binaries in one file', 'ptflame pack perf.data -o trace.pack'],
  ['Recording', 'perf.data, with the binaries that ran', 'ptflame record -- ./program'],
  [
    'Text of perf',
    'also compressed (.gz), also several parts',
    'perf script --itrace=cre --ns -F-event,-period,+addr,-comm,+flags,+dso,+sym,+symoff,+pid > trace.txt',
  ],
  ['Imported trace', 'small, and read at once', 'ptflame import perf.data -o trace.ptf'],
  ['Profile', 'what a report shows', 'ptflame render perf.data -o profile.json'],
];

/** `failure`: why what was dropped is not shown. `names`: of the files. */
export function startScreen(events: StartEvents, failed: { failure: Failure; names: string } | null): HTMLElement {
  return screen(
    'start',
    failed === null ? 'Drop a recording anywhere' : `Cannot show ${failed.names}`,
    ...(failed === null ? [] : [problem(failed.failure, events)]),
    html(
      'div',
      { class: 'place' },
      html(
        'p',
        {},
        failed === null
          ? 'Its flame graph appears here, decoded by this browser on all cores. Two recordings are compared.'
          : 'Drop another file anywhere on this page.',
      ),
      html(
        'div',
        { class: 'group' },
        keyButton('Open files…', 'o', events.choose, true),
        keyButton('Try the demo', '', events.demo),
      ),
    ),
    html(
      'dl',
      { class: 'kinds' },
      ...KINDS.flatMap(([kind, what, command]) => [
        html('dt', {}, kind, html('small', {}, what)),
        html('dd', {}, commandLine(command)),
      ]),
    ),
    html(
      'p',
      { class: 'quiet promise' },
      isHosted
        ? 'Nothing leaves this computer: the page forbids itself every connection but to its own address.'
        : 'Nothing leaves this computer: the page forbids itself every connection. It needs no network and no installation.',
    ),
  );
}

function problem({ code, message, hint, output }: Failure, { byCalls, back }: StartEvents): HTMLElement {
  const remedy = code === null ? 'This is a bug in ptflame; please report it.' : remedyOf(code, hint);
  return html(
    'div',
    { class: 'problem', role: 'alert' },
    html('p', { class: 'message' }, message),
    ...output.map((line) => html('p', {}, line)),
    html('p', {}, ...withCommands(remedy)),
    ...(code === 'TIMELESS' ? [keyButton('Show calls', '', byCalls)] : []),
    ...(back === null ? [] : [keyButton(`Show ${back.name} again`, '', back.show)]),
  );
}

/** In place of hints that name options, which a page does not have. Words in backticks are commands. */
const REMEDIES: Partial<Record<ErrorCode, string>> = {
  NEWER_VERSION: 'Make this page again with that version: `ptflame page -o ptflame.html`.',
  NOT_OFFERED:
    'Use the command line on a machine with perf: `ptflame render perf.data -o flame.html`. Or drop the text that perf makes there, by the command below.',
  PACK_DAMAGED: 'Copy the pack again from where it was made.',
  RECORDING_DAMAGED:
    'Copy it again from where it was recorded. The command line decodes the intact part: `ptflame render perf.data --salvage -o flame.html`.',
  RECORDING_FOREIGN: 'Only recordings of Linux on x86-64 are decoded.',
  RECORDING_PIPED: 'Record to a file: `perf record -o perf.data …`.',
  TEMPORARY_FILE:
    'The browser keeps too little data for this page: private windows keep less than others, and so do full disks. Or use the command line: `ptflame render perf.data -o flame.html`.',
  TIMELESS: 'The width of frames can be their number of calls instead.',
  TOO_LARGE:
    'A browser allows a page less memory than a program. Use the command line: `ptflame render perf.data -o flame.html`.',
};

function remedyOf(code: ErrorCode, hint: string): string {
  return REMEDIES[code] ?? hint;
}
