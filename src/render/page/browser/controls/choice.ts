/**
 * One of several, with a label before it.
 */
import { htmlElement as html } from '../../../viewer/dom.js';

export interface Choice<Value extends string> {
  readonly element: HTMLElement;
  readonly show: (value: Value) => void;
}

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
