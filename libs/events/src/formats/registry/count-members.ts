import { schemaMembersMax } from '../limits.js';
import { UnusableSchemaError } from './schema-registry.js';

/** Counts what a schema declares before anything is made of it: its text comes from whoever may register one. */
export class MemberCount {
  private count = 0;

  /** @throws UnusableSchemaError */
  add(count: number): void {
    this.count += count;
    if (this.count > schemaMembersMax) throw new UnusableSchemaError(`more than ${schemaMembersMax} members`);
  }

  /** So often one of these characters stands in a text. */
  addFound(text: string, characters: string): void {
    let found = 0;
    for (const character of text) if (characters.includes(character)) found += 1;
    this.add(found);
  }
}
