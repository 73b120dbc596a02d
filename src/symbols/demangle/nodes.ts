/**
 * The tree of a C++ name: built by the parser, printed by the printer.
 */
export type Node =
  | Named
  | Qualified
  | Typed
  | Template
  | Modified
  | FunctionType
  | ArrayType
  | List
  | Expression
  | { readonly kind: 'parameter'; readonly index: number } // T_, of the enclosing template
  | { readonly kind: 'literal'; readonly type: Node; readonly text: string; readonly isNegative: boolean }
  | { readonly kind: 'lambda'; readonly parameters: List; readonly number: number };

interface Named {
  readonly kind: 'text';
  readonly text: string;
  /** How literals of a built-in type are written. */
  readonly literals?: LiteralStyle;
  /** `std` or an abbreviated type in it: not added to the substitutions. */
  readonly isStandard?: boolean;
}

/** A suffix, or the form of `(type)1`, `true`, `(double)[40]`. */
export type LiteralStyle = '' | 'u' | 'l' | 'ul' | 'll' | 'ull' | 'type' | 'bool' | 'float' | 'null';

/** `scope::name`. In `local`, the scope is a function. */
interface Qualified {
  readonly kind: 'qualified' | 'local';
  readonly scope: Node;
  readonly name: Node;
}

/** A function with its parameters, or a variable template with its type. */
export interface Typed {
  readonly kind: 'typed';
  readonly name: Node;
  readonly type: Node;
}

export interface Template {
  readonly kind: 'template';
  readonly name: Node;
  readonly args: List;
}

/** Modifies a type, and is written after it. Those with `this` qualify a method and are written after its parameters. */
export type Modifier =
  | 'pointer'
  | 'reference'
  | 'rvalue'
  | 'const'
  | 'volatile'
  | 'restrict'
  | 'complex'
  | 'imaginary'
  | 'vendor'
  | 'vector'
  | 'member'
  | 'this-const'
  | 'this-volatile'
  | 'this-restrict'
  | 'this-reference'
  | 'this-rvalue'
  | 'transaction_safe'
  | 'noexcept'
  | 'throw';

export interface Modified {
  readonly kind: 'modified';
  readonly by: Modifier;
  readonly of: Node;
  /** The class of a member, the length of a vector, what `noexcept` depends on. */
  readonly detail: Node | null;
}

export interface FunctionType {
  readonly kind: 'function';
  readonly returns: Node | null;
  readonly parameters: List;
}

export interface ArrayType {
  readonly kind: 'array';
  readonly length: Node | null;
  readonly of: Node;
}

/** Arguments or parameters; in another list, a pack. */
export interface List {
  readonly kind: 'list';
  readonly items: readonly Node[];
}

/** Parts that are printed one after the other, with text around them, are `parts`; the others need more care. */
export type Expression =
  | Constructor
  | { readonly kind: 'parts'; readonly parts: readonly (Node | string)[]; readonly isSimple: boolean }
  | { readonly kind: 'operator'; readonly code: string; readonly symbol: string }
  | { readonly kind: 'conversion'; readonly type: Node }
  | { readonly kind: 'cast'; readonly type: Node }
  | { readonly kind: 'operand'; readonly of: Node }
  | { readonly kind: 'expansion'; readonly pattern: Node }
  | { readonly kind: 'unary'; readonly operator: Node; readonly operand: Node; readonly isPostfix: boolean }
  | { readonly kind: 'binary'; readonly operator: Operator; readonly left: Node; readonly right: Node }
  | { readonly kind: 'fold'; readonly code: string; readonly operator: Node; readonly operands: readonly Node[] }
  | { readonly kind: 'ternary'; readonly condition: Node; readonly yes: Node; readonly no: Node }
  | { readonly kind: 'default-argument'; readonly number: number; readonly name: Node };

export type Operator = { readonly kind: 'operator'; readonly code: string; readonly symbol: string };

interface Constructor {
  readonly kind: 'constructor' | 'destructor';
  readonly of: string;
}

export const NO_ITEMS: List = { kind: 'list', items: [] };

export function text(value: string): Node {
  return { kind: 'text', text: value };
}

export function parts(...all: (Node | string)[]): Node {
  return { kind: 'parts', parts: all, isSimple: false };
}

export function modified(by: Modifier, of: Node, detail: Node | null = null): Modified {
  return { kind: 'modified', by, of, detail };
}

const OF_METHODS: ReadonlySet<Modifier> = new Set<Modifier>([
  'this-const',
  'this-volatile',
  'this-restrict',
  'this-reference',
  'this-rvalue',
  'transaction_safe',
  'noexcept',
  'throw',
]);

/** Whether it qualifies a method, and is written after the parameters. */
export function isOfMethod(node: Node): node is Modified {
  return node.kind === 'modified' && OF_METHODS.has(node.by);
}

/** Returns the name inside a function, without the default argument around it. */
export function localName(node: Node): Node {
  return node.kind === 'default-argument' ? node.name : node;
}

/** Returns the name without the qualifiers of the method. */
export function bare(node: Node): Node {
  let inner = node;
  while (isOfMethod(inner)) inner = inner.of;
  return inner;
}
