/**
 * The numbers of a function on both sides of a comparison, as a table.
 */
import { capitalized } from '../../../render/format.js';
import { htmlElement as html } from '../../../render/viewer/dom.js';
import { MEASURES, type Measure } from '../../view/comparison.js';
import type { ComparedFunction } from '../../view/function-view.js';
import { changeText, measureText, noiseText, percentText, toneOf } from '../../view/table-columns.js';

const TITLES: Readonly<Record<Measure, string>> = {
  total: 'Total',
  self: 'Self',
  calls: 'Calls',
  avg: 'Average',
  p99: 'p99',
};

export function comparedNumbers({ names, row }: ComparedFunction): HTMLElement {
  const titles = [names.after, names.before, 'change', '%'].map((title) =>
    html('th', { scope: 'col' }, capitalized(title)),
  );
  const rows = MEASURES.map((measure) => {
    const number = row.compared?.of[measure];
    const cells = [
      measureText(measure, number?.after ?? Number.NaN),
      measureText(measure, number?.before ?? Number.NaN),
      html('span', { class: toneOf(row, measure), title: noiseText(number) }, changeText(row, measure)),
      percentText(row, measure),
    ];
    return html('tr', {}, html('th', { scope: 'row' }, TITLES[measure]), ...cells.map((cell) => html('td', {}, cell)));
  });
  return html('table', { class: 'compared' }, html('tr', {}, html('td', {}), ...titles), ...rows);
}
