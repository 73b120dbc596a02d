/**
 * Finds what a file needs: the modules that it imports, in any way, and the globals of Node that it uses.
 */
import { posix } from 'node:path';
import ts from 'typescript';

const GLOBALS = new Set(['Buffer', 'clearImmediate', 'console', 'global', 'globalThis', 'process', 'setImmediate']);

export interface FileNeeds {
  readonly path: string;
  /** Specifiers as written; including types and `import(…)`. */
  readonly imports: readonly string[];
  readonly globals: readonly string[];
}

export function needsOf(path: string, text: string): FileNeeds {
  const imports = ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName);
  return { path, imports, globals: nodeGlobalsOf(path, text) };
}

/** Returns the file that a relative import refers to. */
export function targetOf(name: string, from: string): string {
  return posix.join(posix.dirname(from), name).replace(/(?:\.js)?$/, '.ts');
}

/** Globals of Node that the file uses and does not declare itself. */
function nodeGlobalsOf(path: string, text: string): string[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const used = new Set<string>();
  const declared = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && GLOBALS.has(node.text)) {
      if (!isName(node)) used.add(node.text);
      else if (isVariable(node.parent)) declared.add(node.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return [...used].filter((name) => !declared.has(name));
}

/** The name of a member, a variable or a function, not a global. */
function isName(node: ts.Identifier): boolean {
  const { parent } = node;
  return 'name' in parent && parent.name === node && !ts.isShorthandPropertyAssignment(parent);
}

function isVariable(node: ts.Node): boolean {
  return ts.isVariableDeclaration(node) || ts.isParameter(node) || ts.isBindingElement(node);
}
