import type { Terminal } from '../command-line/terminal.js';
import type { OutputFormat } from './flags.js';
import { safeJson, safeLine } from './text.js';

const codes = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, blue: 34 } as const;

type Colour = keyof typeof codes;

export type Paint = (text: string, colour: Colour | null) => string;

const plain: Paint = (text) => text;

const painted: Paint = (text, colour) =>
  colour === null || text === '' ? text : `\u001b[${codes[colour]}m${text}\u001b[0m`;

/** Colours are for people: not in a pipe, nor where `NO_COLOR` or a terminal that knows none forbids them. */
export function paintFor({ isOutputSeen, env }: Pick<Terminal, 'isOutputSeen' | 'env'>): Paint {
  const isForbidden = (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb';
  return isOutputSeen && !isForbidden ? painted : plain;
}

const statusColours: Readonly<Record<string, Colour>> = {
  parked: 'red',
  failed: 'red',
  stopped: 'red',
  unknown: 'yellow',
  paused: 'yellow',
  warning: 'yellow',
  delivered: 'green',
  done: 'green',
  ok: 'green',
  cancelled: 'dim',
  skipped: 'dim',
};

/** How a status or a state is coloured. */
export function statusColour(status: string): Colour | null {
  return statusColours[status] ?? null;
}

const none = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
const wide =
  /^[\p{Emoji_Presentation}\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]$/u;
const narrow = /^[\u0020-\u02ff]*$/;

const emoji = /^\p{RGI_Emoji}/v;
/** Made for the first text that needs it: that takes milliseconds. */
let graphemes: Intl.Segmenter | undefined;

function widthOf(character: string): number {
  if (none.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}

/** How many columns of a terminal a text takes. An emoji that is joined from several is one. */
export function textWidth(text: string): number {
  if (narrow.test(text)) return text.length;
  graphemes ??= new Intl.Segmenter();
  let width = 0;
  for (const { segment } of graphemes.segment(text)) {
    if (emoji.test(segment)) width += 2;
    else for (const character of segment) width += widthOf(character);
  }
  return width;
}

/** A text that takes at least so many columns. */
export function padTo(text: string, width: number, side: 'left' | 'right'): string {
  const space = ' '.repeat(Math.max(0, width - textWidth(text)));
  return side === 'left' ? `${text}${space}` : `${space}${text}`;
}

export interface Column<T> {
  readonly title: string;
  /** What stands in it; null or nothing shows as `-`. */
  readonly of: (item: T) => string | number | null;
  readonly side?: 'left' | 'right';
  /** Shown by `-o wide` only. */
  readonly isWide?: boolean;
  readonly colour?: (item: T) => Colour | null;
}

const gap = '  ';
const nothing = '-';

function cellText<T>(column: Column<T>, item: T): string {
  const value = column.of(item);
  return value === null || value === '' ? nothing : safeLine(String(value));
}

/** A table that is written part by part; columns get wider when a later part needs it, never narrower. */
export class Table<T> {
  private readonly widths: number[];
  private hasHeader = false;

  constructor(
    private readonly columns: readonly Column<T>[],
    private readonly paint: Paint,
  ) {
    this.widths = columns.map(({ title }) => textWidth(title));
  }

  /** The lines of some more items, each with its line break; the titles before the first. */
  rows(items: readonly T[]): string {
    const rows = items.map((item) => this.columns.map((column) => cellText(column, item)));
    for (const row of rows) this.widen(row);
    const lines = rows.map((row, index) => this.line(row, this.coloursOf(items[index] as T)));
    if (!this.hasHeader) lines.unshift(this.header());
    this.hasHeader = true;
    return lines.map((line) => `${line}\n`).join('');
  }

  private header(): string {
    return this.line(
      this.columns.map(({ title }) => title),
      this.columns.map(() => 'bold' as const),
    );
  }

  private coloursOf(item: T): (Colour | null)[] {
    return this.columns.map(({ colour }) => colour?.(item) ?? null);
  }

  private widen(row: readonly string[]): void {
    for (const [index, text] of row.entries()) {
      this.widths[index] = Math.max(this.widths[index] ?? 0, textWidth(text));
    }
  }

  private line(cells: readonly string[], colours: readonly (Colour | null)[]): string {
    const last = cells.length - 1;
    const padded = cells.map((text, index) => {
      const side = this.columns[index]?.side ?? 'left';
      // Nothing follows the last one: spaces after it would only wrap.
      const width = index === last && side === 'left' ? 0 : (this.widths[index] ?? 0);
      return this.paint(padTo(text, width, side), colours[index] ?? null);
    });
    return padded.join(gap);
  }
}

const controls = /[\u007f-\u009f]/g;

/** YAML. What a terminal would act upon stands between double quotes by then, and can be spelled as in JSON there. */
export async function yamlText(value: unknown): Promise<string> {
  // Loaded only now: it is larger than all the rest of a command.
  const { stringify } = await import('yaml');
  const text = stringify(value, { lineWidth: 0 });
  return text.replace(controls, (character) => safeJson(character).slice(1, -1));
}

/** How items of one kind are shown. */
export interface ListView<T> {
  readonly columns: readonly Column<T>[];
  /** What other commands call it. */
  readonly nameOf: (item: T) => string;
}

/** Writes a list as it comes in: it may be longer than memory. */
interface ListWriter<T> {
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

/** How one thing is shown. */
export interface OneView<T> {
  /** Text for people, with its line breaks; made of safe text. */
  readonly text: (item: T, paint: Paint) => string;
  readonly nameOf: (item: T) => string;
}

/** Writes one thing in a format. */
export async function writeOne<T>(
  terminal: Terminal,
  view: OneView<T>,
  shown: { readonly item: T; readonly format: OutputFormat },
): Promise<void> {
  const { item, format } = shown;
  await terminal.print(await textOf(view, item, { format, paint: paintFor(terminal) }));
}

async function textOf<T>(
  view: OneView<T>,
  item: T,
  { format, paint }: { readonly format: OutputFormat; readonly paint: Paint },
): Promise<string> {
  switch (format) {
    case 'json':
      return `${safeJson(item, 2)}\n`;
    case 'jsonl':
      return `${safeJson(item)}\n`;
    case 'yaml':
      return yamlText(item);
    case 'name':
      return `${safeLine(view.nameOf(item))}\n`;
    case 'table':
    case 'wide':
      return view.text(item, paint);
  }
}
