/**
 * What has been printed so far, and what is around the node that is being printed.
 */
import { fail } from './cursor.js';
import type { Node, Template } from './nodes.js';

/** Which arguments `T_` stands for: those of the innermost template. */
export interface Scope {
  readonly template: Template;
  readonly outer: Scope | null;
}

/**
 * Something around a type that is printed in the middle of it, at the latest behind it: in `int (*name)(char)`, the
 * pointer and the name wait until the function type has printed what it returns.
 */
export interface Waiting {
  readonly node: Node;
  readonly scope: Scope | null;
  readonly outer: Waiting | null;
  isPrinted: boolean;
}

/** Real names have a few thousand letters; a hostile one doubles with each letter. */
const MAX_LENGTH = 100_000;
const MAX_STEPS = 200_000;
const MAX_DEPTH = 500;

export class Printer {
  text = '';
  /** The character written last; asking the text itself would copy it each time. */
  last = '';
  waiting: Waiting | null = null;
  scope: Scope | null = null;
  /** The template being printed, whose arguments a conversion in it may name. */
  template: Template | null = null;
  /** Which one of each pack: outside of an expansion the first, or the one printed last. NONE prints them all. */
  packIndex = 0;
  lambdaDepth = 0;
  /** Nodes being printed, the innermost last. */
  readonly path: Node[] = [];
  /** In which scope each parameter was first met behind a reference. */
  readonly scopeOfParameter = new Map<Node, Scope | null>();
  private steps = 0;
  private readonly dispatch: (printer: Printer, node: Node) => void;

  constructor(dispatch: (printer: Printer, node: Node) => void) {
    this.dispatch = dispatch;
  }

  print(node: Node): void {
    if (++this.steps > MAX_STEPS || this.path.length > MAX_DEPTH) fail();
    this.path.push(node);
    this.dispatch(this, node);
    this.path.pop();
  }

  write(text: string): void {
    if (text === '') return;
    this.text += text;
    this.last = text[text.length - 1];
    if (this.text.length > MAX_LENGTH) fail();
  }

  /** Back to an earlier length; what was printed last counts as such. */
  cut(length: number): void {
    this.text = this.text.slice(0, length);
  }

  /** With nothing around it: parameters and arguments are types of their own. */
  printAlone(node: Node): void {
    const { waiting } = this;
    this.waiting = null;
    this.print(node);
    this.waiting = waiting;
  }

  /** The node inside, while something around it waits. Says whether the inside has printed that. */
  printInside(inside: Node, waiting: Node): boolean {
    const around = this.wait(waiting);
    this.print(inside);
    this.waiting = around.outer;
    return around.isPrinted;
  }

  wait(node: Node): Waiting {
    this.waiting = { node, scope: this.scope, outer: this.waiting, isPrinted: false };
    return this.waiting;
  }

  inScope(scope: Scope | null, print: () => void): void {
    const before = this.scope;
    this.scope = scope;
    print();
    this.scope = before;
  }
}
