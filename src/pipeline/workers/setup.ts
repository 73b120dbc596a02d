/**
 * What many tasks need: a worker receives it with the first of them, and keeps the last one of each kind.
 */

/** Plain data, as a member of a task. */
export interface Setup<Data> {
  readonly setupOf: string;
  readonly id: number;
  /** Absent if the worker has it. */
  readonly data?: Data;
}

let ids = 0;

/** `kind`: a worker keeps one of it. */
export function newSetup<Data>(kind: string, data: Data): Setup<Data> {
  return { setupOf: kind, id: ids++, data };
}

/** Makes one setup of each key, which must have been made of the same data whenever it is asked for. */
export class Setups<Key extends object, Data> {
  private readonly known = new WeakMap<Key, Setup<Data>>();

  constructor(private readonly kind: string) {}

  of(key: Key, make: () => Data): Setup<Data> {
    let setup = this.known.get(key);
    if (setup === undefined) this.known.set(key, (setup = newSetup(this.kind, make())));
    return setup;
  }
}

function isSetup(value: unknown): value is Setup<unknown> {
  return typeof value === 'object' && value !== null && 'setupOf' in value;
}

/** Returns a task without the setups that its worker has; `known`: by kind, the last one that it received. */
export function withoutKnown(task: object, known: Map<string, number>): object {
  const members = Object.entries(task).map(([name, value]) => {
    if (!isSetup(value)) return [name, value];
    const { setupOf, id } = value;
    const isKnown = known.get(setupOf) === id;
    known.set(setupOf, id);
    return [name, isKnown ? { setupOf, id } : value];
  });
  return Object.fromEntries(members);
}

/** Of this worker, by kind. */
const received = new Map<string, { readonly id: number; readonly data: unknown }>();

/** Returns what was set up, in the worker. `begin`: what it makes of the data once. */
export function setUp<Data, Begun = Data>(
  { setupOf, id, data }: Setup<Data>,
  begin: (data: Data) => Begun = (data) => data as unknown as Begun,
): Begun {
  let own = received.get(setupOf);
  if (own?.id !== id) received.set(setupOf, (own = { id, data: begin(data as Data) }));
  return own.data as Begun;
}
