/**
 * Formats one of the slowest requests: its calls and waits, and the work of other threads where it was handed on.
 */
import type { RequestDetails, RequestPart } from '../../../src/questions/requests/schema.js';
import { formatDuration, formatMany } from '../../../src/render/format.js';
import { visibleText } from '../../../src/render/visible-text.js';
import { type TableColumn, tableLines } from '../../terminal/table.js';
import { type RequestLine, requestLines, threadText } from './request-lines.js';

export function slowRequestLines(details: RequestDetails, rank: number, width: number): string[] {
  const { start, durationNs, parts } = details;
  const [own, ...others] = parts;
  const work = others.length === 0 ? '' : `, with ${formatMany(others.length, 'part')} in other threads`;
  const head = `slowest request ${rank + 1}: ${formatDuration(durationNs)} from ${start}${own ? ` in ${namedThread(own)}` : ''}${work}`;
  const columns: TableColumn<RequestLine>[] = [
    { title: 'start', text: ({ startNs }) => formatDuration(startNs) },
    { title: 'duration', text: ({ durationNs }) => formatDuration(durationNs) },
    { title: 'self', text: ({ selfNs }) => formatDuration(selfNs), rank: 2 },
    { title: 'thread', text: ({ thread }) => thread, rank: 1 },
  ];
  const options = {
    name: ({ text }: RequestLine) => text,
    nameTitle: 'call',
    indent: ({ depth }: RequestLine) => '  '.repeat(Math.min(depth, 20)),
    width,
  };
  return [head, ...tableLines(requestLines(parts), columns, options)];
}

function namedThread(part: RequestPart): string {
  const { comm } = part.thread;
  return `thread ${threadText(part)}${comm === null ? '' : ` ${visibleText(comm)}`}`;
}
