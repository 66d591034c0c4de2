import type { Amount } from './measure-size.js';
import { measureRooms, measureThings } from './measure-size.js';

/** `npm run size`: how much there is, as Markdown; nothing is judged. */
const number = (value: number | null): string => value?.toLocaleString('en') ?? '-';
const row = (...cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
const cellsOf = ({ files, lines }: Amount): readonly string[] => [number(files), number(lines)];

const rows = [
  row('room', 'source files', 'lines', 'files of specs and harness', 'lines'),
  '|---|---:|---:|---:|---:|',
  ...measureRooms().map(({ name, source, specs }) => row(name, ...cellsOf(source), ...cellsOf(specs))),
  '',
  row('what', 'count'),
  '|---|---:|',
  ...Object.entries(measureThings()).map(([what, count]) => row(what, number(count))),
];
process.stdout.write(`${rows.join('\n')}\n`);
