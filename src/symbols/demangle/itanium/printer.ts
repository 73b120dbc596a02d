/**
 * The state of the printer: the text so far, and the context of the current node.
 */
import { fail } from '../not-mangled.js';
import type { Node, Template } from './nodes.js';

/** Which arguments `T_` refers to: those of the innermost template. */
export interface Scope {
  readonly template: Template;
  readonly outer: Scope | null;
}

/**
 * A node that is printed in the middle of the type inside it, or after it: in `int (*name)(char)`, the pointer and the name
 * wait until the function type has printed its return type.
 */
export interface Waiting {
  readonly node: Node;
  readonly scope: Scope | null;
  readonly outer: Waiting | null;
  isPrinted: boolean;
}

/** Real names have a few thousand characters; a hostile one doubles with each character. */
const MAX_LENGTH = 100_000;
const MAX_STEPS = 200_000;
const MAX_DEPTH = 500;

export class Printer {
  text = '';
  /** The last character; reading it from the text would flatten the string each time. */
  last = '';
  waiting: Waiting | null = null;
  scope: Scope | null = null;
  /** The template being printed; a conversion in it may refer to its arguments. */
  template: Template | null = null;
  /** The current item of each pack: outside an expansion the first or the last printed one. NONE prints all. */
  packIndex = 0;
  lambdaDepth = 0;
  /** The nodes being printed, the innermost last. */
  readonly path: Node[] = [];
  /** The scope of each referenced parameter's first use. */
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

  /** Cuts the text to an earlier length, but keeps `last`. */
  cut(length: number): void {
    this.text = this.text.slice(0, length);
  }

  /** Prints a type of its own, such as a parameter, without the waiting nodes. */
  printAlone(node: Node): void {
    const { waiting } = this;
    this.waiting = null;
    this.print(node);
    this.waiting = waiting;
  }

  /** Prints a node while the one around it waits. Returns whether that has been printed on the way. */
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
