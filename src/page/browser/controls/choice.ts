/**
 * A select box with a label.
 */
import { htmlElement as html } from '../../../render/viewer/dom.js';

export interface Choice<Value extends string> {
  readonly element: HTMLElement;
  readonly show: (value: Value) => void;
  /** `reason`: why there is nothing to choose now; empty: there is. */
  readonly lock: (reason: string) => void;
}

export function choice<Value extends string>(
  label: string,
  options: readonly (readonly [value: Value, text: string])[],
  change: (value: Value) => void,
): Choice<Value> {
  const hasNoChoice = options.length < 2;
  const select = html(
    'select',
    hasNoChoice ? { disabled: '', title: 'no other choice for this trace' } : {},
    ...options.map(([value, text]) => html('option', { value }, text)),
  );
  let isByPointer = false;
  select.addEventListener('pointerdown', () => (isByPointer = true));
  select.addEventListener('keydown', () => (isByPointer = false));
  select.addEventListener('change', () => {
    if (isByPointer) select.blur(); // otherwise it would receive keys meant for the graph
    change(select.value as Value);
  });
  return {
    element: html('label', { class: 'choice' }, `${label} `, select),
    show: (value) => {
      select.value = value;
    },
    lock: (reason) => {
      if (hasNoChoice) return;
      select.disabled = reason !== '';
      select.title = reason;
    },
  };
}
