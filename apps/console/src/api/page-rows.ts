/** Rows that were read, by their place; a plain list is one. */
export interface Rows<Row> {
  readonly length: number;
  readonly at: (index: number) => Row | undefined;
  /** -1: there is none. */
  readonly findIndex: (isWanted: (row: Row) => boolean) => number;
}

/** The rows of all pages as one list. They stay where they are: one more page costs the same however many there were. */
export class PageRows<Row> implements Rows<Row> {
  readonly length: number;
  /** How many rows each page and those before it hold. */
  private readonly ends: readonly number[];

  constructor(private readonly pages: readonly { readonly items: readonly Row[] }[]) {
    let end = 0;
    this.ends = pages.map(({ items }) => (end += items.length));
    this.length = end;
  }

  at(index: number): Row | undefined {
    if (index < 0 || index >= this.length) return undefined;
    const page = this.pageOf(index);
    return this.pages[page]?.items[index - (this.ends[page - 1] ?? 0)];
  }

  findIndex(isWanted: (row: Row) => boolean): number {
    for (const [page, { items }] of this.pages.entries()) {
      const index = items.findIndex(isWanted);
      if (index >= 0) return index + (this.ends[page - 1] ?? 0);
    }
    return -1;
  }

  /** The first page that ends behind it. */
  private pageOf(index: number): number {
    let [low, high] = [0, this.ends.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.ends[middle] ?? 0) > index) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
