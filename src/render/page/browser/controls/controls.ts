/**
 * Small controls, each with its label.
 */
import { htmlElement as html } from '../../../viewer/dom.js';

export function button(text: string, title: string, press: () => void): HTMLButtonElement {
  const made = html('button', { type: 'button', title }, text);
  made.addEventListener('click', press);
  return made;
}

/** A button with a sign instead of words; `name` is read aloud. */
export function iconButton(sign: string, name: string, title: string, press: () => void): HTMLButtonElement {
  const made = button(sign, title, press);
  made.setAttribute('aria-label', name);
  return made;
}

/** A button that is on or off. */
export function toggle(text: string, title: string, change: () => void): HTMLButtonElement {
  const made = button(text, title, change);
  made.setAttribute('aria-pressed', 'false');
  return made;
}

export interface Choice<Value extends string> {
  readonly element: HTMLElement;
  readonly show: (value: Value) => void;
}

/** One of several, with a label before it. */
export function choice<Value extends string>(
  label: string,
  options: readonly (readonly [value: Value, text: string])[],
  change: (value: Value) => void,
): Choice<Value> {
  const isNone = options.length < 2;
  const select = html(
    'select',
    isNone ? { disabled: '', title: 'the trace has nothing else' } : {},
    ...options.map(([value, text]) => html('option', { value }, text)),
  );
  let isPointedAt = false;
  select.addEventListener('pointerdown', () => (isPointedAt = true));
  select.addEventListener('keydown', () => (isPointedAt = false));
  select.addEventListener('change', () => {
    if (isPointedAt) select.blur(); // else it would take letters that are meant for the graph
    change(select.value as Value);
  });
  return {
    element: html('label', { class: 'choice' }, `${label} `, select),
    show: (value) => {
      select.value = value;
    },
  };
}
