import { mapProperty } from './renaming.js';
import type { SpellingChoice } from './spelling-schema.js';
import { ValueRenaming } from './value-renaming.js';

/** Names and numbers of a pass's status. */
export class StatusSpelling {
  private readonly names: ValueRenaming<string>;
  private readonly numbers: ValueRenaming<number>;

  constructor({ statusNames, statusNumbers }: SpellingChoice) {
    this.names = new ValueRenaming(Object.entries(statusNames));
    this.numbers = new ValueRenaming(
      Object.entries(statusNumbers).map(([number, spelled]) => [Number(number), spelled]),
    );
  }

  get isEmpty(): boolean {
    return this.names.isEmpty && this.numbers.isEmpty;
  }

  /** A filter by name or by number; in a query the number is text. */
  readFilter(value: unknown): unknown {
    if (typeof value === 'number') return this.numbers.read(value);
    if (typeof value === 'string' && /^\d{1,9}$/.test(value)) return String(this.numbers.read(Number(value)));
    return this.names.read(value);
  }

  writePass(pass: unknown): unknown {
    const named = mapProperty(pass, 'statusCode', (name) => this.names.write(name));
    return mapProperty(named, 'status', (number) => this.numbers.write(number));
  }
}
