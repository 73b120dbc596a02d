/**
 * The legend of the flame graph: what fits into the bar, the largest first, and all of it below a button.
 */
import { fillOf } from '../../../render/diff/wording.js';
import type { LegendEntry } from '../../../render/frames/captions.js';
import { textureOfSwatch } from '../../../render/frames/drawing.js';
import { htmlElement as html, svgElement as svg } from '../../../render/viewer/dom.js';
import { visibleText } from '../../../render/visible-text.js';
import { onResize } from '../platform/lifetime.js';

/** The widest list below the button, with the edges of the window. */
const LIST_PX = 308;
const EDGE_PX = 8;

export class Legend {
  private readonly list = html('ul', { class: 'legend', 'aria-label': 'Colours' });
  private readonly button = html(
    'button',
    { type: 'button', class: 'drop', popovertarget: 'all-colours', title: 'all colours', hidden: '' },
    html('span', {}, 'Legend'),
  );
  private readonly all = html('ul', {
    class: 'legend-list',
    id: 'all-colours',
    popover: '',
    'aria-label': 'All colours',
  });
  readonly element = html('div', { class: 'legend-area' }, this.list, this.button, this.all);
  private entries: readonly LegendEntry[] = [];

  /** `open`: the menu of libraries, below a button. */
  constructor(private readonly open: (files: readonly string[], button: HTMLElement) => void) {
    onResize(this.element, () => requestAnimationFrame(() => this.fit()));
    this.all.addEventListener('beforetoggle', () => {
      const { left, bottom } = this.button.getBoundingClientRect();
      this.all.style.left = `${Math.max(EDGE_PX, Math.min(left, innerWidth - LIST_PX))}px`;
      this.all.style.top = `${bottom}px`;
      this.all.replaceChildren(...this.entries.map((entry) => this.item(entry, this.button)));
    });
  }

  show(entries: readonly LegendEntry[]): void {
    if (JSON.stringify(entries) === JSON.stringify(this.entries)) return;
    this.entries = entries;
    this.list.replaceChildren(...entries.map((entry) => this.item(entry, null)));
    this.fit();
  }

  private fit(): void {
    const { list, button } = this;
    const items = [...list.children] as HTMLElement[];
    const isCut = (item: HTMLElement) => item.offsetTop >= list.offsetTop + list.clientHeight;
    button.hidden = true;
    button.hidden = !items.some(isCut);
    for (const item of items) item.inert = isCut(item);
  }

  /** Libraries open a menu, below a button; null: below their own. */
  private item({ swatch, text, files = [], title: about = '' }: LegendEntry, below: HTMLElement | null): HTMLElement {
    const parts = [...(swatch === '' ? [] : [swatchOf(swatch)]), text];
    if (files.length === 0) return html('li', about === '' ? {} : { title: about }, ...parts);
    const title = files.map(visibleText).join(', ');
    const click = ({ currentTarget }: Event) => {
      this.all.hidePopover();
      this.open(files, below ?? (currentTarget as HTMLElement));
    };
    return html('li', {}, html('button', { type: 'button', 'aria-haspopup': 'menu', title, click }, ...parts));
  }
}

function swatchOf(swatch: string): SVGSVGElement {
  const box = { width: 13, height: 13, rx: 2 };
  const texture = textureOfSwatch(swatch);
  const colour = svg('rect', { ...box, fill: fillOf(swatch === 'hatched' ? 'group' : swatch) });
  const lines = texture === null ? [] : [svg('rect', { ...box, fill: `url(#${texture})` })];
  return svg('svg', { width: 13, height: 13, 'aria-hidden': 'true' }, colour, ...lines);
}
