/**
 * What a file of ours asks for: the modules that it imports, in whatever way, and the globals of Node that it names.
 */
import { posix } from 'node:path';
import ts from 'typescript';

const GLOBALS = new Set(['Buffer', 'clearImmediate', 'console', 'global', 'globalThis', 'process', 'setImmediate']);

export interface FileNeeds {
  readonly path: string;
  /** Specifiers as they are written; types included, and those of `import(…)`. */
  readonly imports: readonly string[];
  readonly globals: readonly string[];
}

export function needsOf(path: string, text: string): FileNeeds {
  const imports = ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName);
  return { path, imports, globals: nodeGlobalsOf(path, text) };
}

/** The file that a relative import leads to. */
export function targetOf(name: string, from: string): string {
  return posix.join(posix.dirname(from), name).replace(/(?:\.js)?$/, '.ts');
}

/** Those of Node's globals that it names and does not declare itself. */
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

/** Of a member, a variable or a function: then it is not Node's. */
function isName(node: ts.Identifier): boolean {
  const { parent } = node;
  return 'name' in parent && parent.name === node && !ts.isShorthandPropertyAssignment(parent);
}

function isVariable(node: ts.Node): boolean {
  return ts.isVariableDeclaration(node) || ts.isParameter(node) || ts.isBindingElement(node);
}
