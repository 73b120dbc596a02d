/**
 * The names of the public library are a promise, and docs/library.md documents each of them.
 */
import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';

const PAGE = readFileSync(new URL('../docs/library.md', import.meta.url), 'utf8');

const PUBLIC = [
  'AnalyzeOptions',
  'AnalyzedInput',
  'CallPattern',
  'CallTree',
  'ErrorCode',
  'FindInlined',
  'FindSourceLines',
  'FlowPattern',
  'FoldedOptions',
  'FunctionPattern',
  'HtmlOptions',
  'ImportOptions',
  'ImportedTrace',
  'LatencyOptions',
  'LatencyResult',
  'LocksOptions',
  'Moment',
  'Profile',
  'Progress',
  'PtflameError',
  'Quality',
  'QualitySummary',
  'ReadProfileOptions',
  'RequestsOptions',
  'RequestsResult',
  'Selection',
  'StacksResult',
  'StoredTrace',
  'SvgOptions',
  'SymbolKind',
  'ThreadProfile',
  'TraceInput',
  'TraceMeta',
  'TraceSource',
  'ValuesQuestion',
  'ValuesResult',
  'WaitsQuestion',
  'WaitsResult',
  'analyze',
  'askLatency',
  'askLocks',
  'askRequests',
  'askStacks',
  'askValues',
  'askWaits',
  'importTrace',
  'openStoredTrace',
  'openTraceFile',
  'profileBlockedTime',
  'qualitySummary',
  'readProfile',
  'renderFolded',
  'renderHtml',
  'renderJson',
  'renderSvg',
  'traceStream',
];

/** A door contains only exports by name, or of all that another door exports, so its text is enough. */
function exportedBy(door: string): string[] {
  const text = readFileSync(new URL(`../src/${door}`, import.meta.url), 'utf8');
  const { statements } = ts.createSourceFile(door, text, ts.ScriptTarget.Latest);
  return statements.flatMap((statement) => {
    if (!ts.isExportDeclaration(statement)) throw new Error(`${door} does more than export`);
    const { exportClause: clause, moduleSpecifier } = statement;
    if (clause !== undefined && ts.isNamedExports(clause)) return clause.elements.map(({ name }) => name.text);
    const other = moduleSpecifier && ts.isStringLiteral(moduleSpecifier) ? moduleSpecifier.text : '';
    return exportedBy(other.replace(/^\.\/(.*)\.js$/, '$1.ts'));
  });
}

/** Words in `code` on the page, including its examples. */
const WORDS = new Set([...PAGE.matchAll(/```.*?```|`[^`]+`/gs)].flatMap(([code]) => code.match(/\w+/g) ?? []));

describe('the public library', () => {
  test('exports exactly these names', () => {
    expect(exportedBy('index.ts').sort()).toEqual(PUBLIC);
  });

  test.each(['index.ts', 'answers.ts'])('documents every name of %s', (door) => {
    expect(exportedBy(door).filter((name) => !WORDS.has(name))).toEqual([]);
  });

  test('fits on one page', () => {
    expect(PAGE.length).toBeLessThan(7000);
  });

  test('has these doors', () => {
    const { exports } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
    expect(Object.keys(exports)).toEqual(['.', './profile-schema', './answers']);
  });
});
