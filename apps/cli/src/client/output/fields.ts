import { safeLine } from './safe-text.js';

/** A line of a description: what it is, and its value. Null is left out. */
export type Field = readonly [label: string, value: string | number | null];

/** Lines with the values below each other. Values become safe text. */
export function fields(rows: readonly Field[]): string {
  const shown = rows.filter(([, value]) => value !== null && value !== '');
  const width = Math.max(...shown.map(([label]) => label.length)) + 1;
  return shown.map(([label, value]) => `${`${label}:`.padEnd(width)} ${safeLine(String(value))}\n`).join('');
}

/** Text below a title, moved in; nothing where there is no text. It must be safe already. */
export function section(title: string, text: string): string {
  if (text === '') return '';
  const lines = text.trimEnd().split('\n');
  return `${title}:\n${lines.map((line) => `  ${line}\n`).join('')}`;
}
