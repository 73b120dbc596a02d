/**
 * Creates and finds elements. Text is set as text: nothing is ever parsed as markup, and no character of it acts on the text around.
 */
import { visibleWithIsolates } from '../visible-text.js';

/** Custom properties of styles begin with `--`; a function listens to the event of that name. */
type Attributes = Readonly<Record<string, string | number | boolean | ((event: never) => void)>>;

const SVG = 'http://www.w3.org/2000/svg';
const HTML = 'http://www.w3.org/1999/xhtml';

export function svgElement<Name extends keyof SVGElementTagNameMap>(
  name: Name,
  attributes: Attributes,
  ...children: (Node | string)[]
): SVGElementTagNameMap[Name] {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

export function htmlElement<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  return filled(document.createElementNS(HTML, name) as HTMLElementTagNameMap[Name], attributes, children);
}

function filled<Made extends Element>(element: Made, attributes: Attributes, children: (Node | string)[]): Made {
  setAttributes(element, attributes);
  element.append(...children.map((child) => (typeof child === 'string' ? shown(child) : child)));
  return element;
}

export function setAttributes(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes))
    if (typeof value === 'function') element.addEventListener(name, value as EventListener);
    else if (name.startsWith('--')) (element as HTMLElement).style.setProperty(name, `${value}`);
    else element.setAttribute(name, READ_ATTRIBUTES.has(name) ? shown(`${value}`) : `${value}`);
}

/** Nothing else is to react to the event. */
export function consume(event: Event): void {
  event.preventDefault();
  event.stopPropagation();
}

/** A patch of colour; `colour`: a CSS variable. */
export function swatch(className: string, colour: string): HTMLElement {
  return htmlElement('span', { class: className, '--colour': `var(--${colour})` });
}

/** Replaces the contents of an element. */
export function showText(element: Element, text: string): void {
  element.textContent = shown(text);
}

/** Those that people see or hear. */
const READ_ATTRIBUTES: ReadonlySet<string> = new Set(['title', 'aria-label']);

/** Line breaks stay: titles have them. */
function shown(text: string): string {
  return text.split('\n').map(visibleWithIsolates).join('\n');
}

/** For SVG elements. */
export function moveTo(element: Element, xPx: number, yPx: number): void {
  element.setAttribute('transform', `translate(${xPx} ${yPx})`);
}

/** For SVG elements. */
export function hide(element: Element): void {
  element.setAttribute('visibility', 'hidden');
}

/** Returns an element of the file, which is known to exist. */
export function byId(id: string): SVGGraphicsElement {
  return document.getElementById(id) as unknown as SVGGraphicsElement;
}
