import { isList, type Value } from './values.js';

/** What a map gives for some fields, wherever they stand in what it makes. */
export class SoughtFields {
  private readonly found: string[] = [];

  constructor(private readonly names: ReadonlySet<string>) {}

  get texts(): readonly string[] {
    return this.found;
  }

  look(name: string, value: Value): void {
    if (!this.names.has(name)) return;
    for (const each of isList(value) ? value : [value]) if (typeof each === 'string') this.found.push(each);
  }
}
