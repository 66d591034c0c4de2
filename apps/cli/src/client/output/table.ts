import type { Colour, Paint } from './colours.js';
import { safeLine } from './safe-text.js';
import { padTo, textWidth } from './text-width.js';

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
