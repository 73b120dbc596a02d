/**
 * The menu of the columns that the functions table and the call tree show.
 */
import { chosenColumns, type NumberColumn, withColumn } from '../../view/table-columns.js';
import { type Action, type Group, type Menu, menuButton } from '../menu.js';

export class ColumnsMenu {
  readonly element: HTMLButtonElement;
  private known: readonly NumberColumn[] = [];
  private chosen = '';

  /** `choose`: gets the choice as the state has it. */
  constructor(
    menu: Menu,
    private readonly choose: (columns: string) => void,
  ) {
    this.element = menuButton(menu, 'Columns', 'What the table shows', () => this.items());
  }

  /** `known`: the columns that the table could show. */
  show(known: readonly NumberColumn[], chosen: string): void {
    this.known = known;
    this.chosen = chosen;
  }

  private items(): readonly (Action | Group)[] {
    const { known, chosen, choose } = this;
    const shown = chosenColumns(known, chosen);
    const actions = (isUsual: boolean) =>
      known
        .filter((column) => column.isUsual === isUsual)
        .map((column): Action => {
          const isOn = shown.includes(column);
          const act = () => choose(withColumn(known, chosen, column.key));
          return { text: column.title, key: '', isOn, act, title: column.hint, staysOpen: true };
        });
    return [
      { heading: 'Usual', actions: actions(true) },
      { heading: 'More', actions: actions(false) },
      { text: 'Reset', key: '', act: () => choose('') },
    ];
  }
}
