import type { Terminal } from '../terminal/terminal.js';
import { paintFor } from './colours.js';
import type { OutputFormat } from './formats.js';
import { safeJson, safeLine } from './safe-text.js';
import type { Column } from './table.js';
import { Table } from './table.js';
import { yamlText } from './yaml-text.js';

/** How items of one kind are shown. */
export interface ListView<T> {
  readonly columns: readonly Column<T>[];
  /** What other commands call it. */
  readonly nameOf: (item: T) => string;
}

/** Writes a list as it comes in: it may be longer than memory. */
export interface ListWriter<T> {
  write(items: readonly T[]): Promise<void>;
  end(): Promise<void>;
}

type Print = (text: string) => Promise<void>;

const indented = (value: unknown): string => `    ${safeJson(value, 2).replaceAll('\n', '\n    ')}`;

function lineWriter<T>(print: Print, lineOf: (item: T) => string): ListWriter<T> {
  return {
    write: (items) => print(items.map((item) => `${lineOf(item)}\n`).join('')),
    end: async () => undefined,
  };
}

/** One object with `items`, as the API answers. */
function jsonWriter<T>(print: Print): ListWriter<T> {
  let count = 0;
  return {
    write: async (items) => {
      if (items.length === 0) return;
      const start = count === 0 ? '{\n  "items": [\n' : ',\n';
      count += items.length;
      await print(`${start}${items.map(indented).join(',\n')}`);
    },
    end: () => print(count === 0 ? '{\n  "items": []\n}\n' : '\n  ]\n}\n'),
  };
}

function yamlWriter<T>(print: Print): ListWriter<T> {
  let count = 0;
  return {
    write: async (items) => {
      if (items.length === 0) return;
      const start = count === 0 ? 'items:\n' : '';
      count += items.length;
      await print(`${start}${await yamlText(items)}`);
    },
    end: async () => (count === 0 ? print('items: []\n') : undefined),
  };
}

function tableWriter<T>(table: Table<T>, print: Print): ListWriter<T> {
  return {
    write: async (items) => (items.length === 0 ? undefined : print(table.rows(items))),
    end: async () => undefined,
  };
}

/** What writes a list in a format. */
export function listWriter<T>(view: ListView<T>, format: OutputFormat, terminal: Terminal): ListWriter<T> {
  const print: Print = (text) => terminal.print(text);
  switch (format) {
    case 'json':
      return jsonWriter(print);
    case 'jsonl':
      return lineWriter(print, (item) => safeJson(item));
    case 'yaml':
      return yamlWriter(print);
    case 'name':
      return lineWriter(print, (item) => safeLine(view.nameOf(item)));
    case 'table':
    case 'wide': {
      const columns = view.columns.filter(({ isWide = false }) => format === 'wide' || !isWide);
      return tableWriter(new Table(columns, paintFor(terminal)), print);
    }
  }
}
