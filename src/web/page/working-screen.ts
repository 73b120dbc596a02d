/**
 * The screen while the engine works: what it does, how far it is, and how long that may still take.
 */
import { formatBytes, formatMany } from '../../render/format.js';
import { htmlElement as html, showText } from '../../render/viewer/dom.js';
import type { EngineProgress, Phase } from '../messages.js';
import { keyButton, screen } from './screen.js';

const PHASES: Readonly<Record<Phase, string>> = {
  fetch: 'Fetching',
  unpack: 'Unpacking',
  read: 'Reading',
  replay: 'Replaying',
  write: 'Writing the report',
};

/** Before that, the rate says little. */
const MIN_MEASURED_MS = 1500;
const SPOKEN_EVERY_MS = 5000;

export class WorkingScreen {
  readonly element: HTMLElement;
  private readonly words = html('p', { class: 'phase' }, 'Starting…');
  private readonly left = html('p', { class: 'quiet' });
  private readonly bar = html('progress', { 'aria-label': 'Progress' });
  private readonly spoken = html('p', { class: 'spoken', role: 'status' });
  private phase: Phase | null = null;
  private beganMs = 0;
  private spokenMs = 0;

  constructor(names: string, cancel: () => void) {
    const { words, left, bar, spoken } = this;
    const around = html('div', { class: 'group' }, keyButton('Cancel', 'Esc', cancel));
    this.element = screen('working', names, words, bar, left, spoken, around);
  }

  show({ phase, done, of, share: told }: EngineProgress, nowMs: number): void {
    if (phase !== this.phase) [this.phase, this.beganMs] = [phase, nowMs];
    const { bar, words, left } = this;
    showText(words, wordsOf({ phase, done, of }));
    const share = of === null || of === 0 ? null : (told ?? Math.min(1, done / of));
    if (share === null) bar.removeAttribute('value');
    else bar.value = share;
    const tookMs = nowMs - this.beganMs;
    const isKnown = share !== null && share > 0 && tookMs >= MIN_MEASURED_MS;
    showText(left, isKnown ? timeLeft((tookMs * (1 - share)) / share) : '');
    if (nowMs - this.spokenMs < SPOKEN_EVERY_MS) return;
    this.spokenMs = nowMs;
    showText(this.spoken, `${words.textContent} ${left.textContent}`);
  }
}

function wordsOf({ phase, done, of }: EngineProgress): string {
  if (phase === 'replay' || phase === 'write') {
    const threads = of === null || phase === 'write' ? '' : ` ${done} of ${formatMany(of, 'thread')}`;
    return `${PHASES[phase]}${threads}`;
  }
  return `${PHASES[phase]} ${formatBytes(done)}${of === null ? '' : ` of ${formatBytes(of)}`}`;
}

function timeLeft(leftMs: number): string {
  const seconds = Math.max(1, Math.round(leftMs / 1000));
  return seconds < 90
    ? `about ${seconds} s left in this step`
    : `about ${Math.round(seconds / 60)} min left in this step`;
}
