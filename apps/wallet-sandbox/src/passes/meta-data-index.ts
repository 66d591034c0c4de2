import type { HeldMetaDataValue, MetaDataValue } from './meta-data.js';

/** Which passes hold which unique metaData values, as far as a batch looks at them, changed as its effects change it. */
export class MetaDataIndex {
  private readonly holders = new Map<string, Map<number, string>>();
  private readonly changed = new Map<number, readonly HeldMetaDataValue[]>();

  constructor(stored: readonly HeldMetaDataValue[]) {
    for (const held of stored) this.add(held);
  }

  /** True when a pass of another cardholder holds the value. */
  isTaken(value: MetaDataValue, uniqueId: string): boolean {
    return [...(this.holders.get(keyOf(value))?.values() ?? [])].some((holder) => holder !== uniqueId);
  }

  /** From now on the pass holds these values and no others. */
  put(passId: number, values: readonly HeldMetaDataValue[]): void {
    for (const passes of this.holders.values()) passes.delete(passId);
    for (const held of values) this.add(held);
    this.changed.set(passId, values);
  }

  /** The passes whose values have been put, with all that they hold now. */
  changes(): { readonly passIds: readonly number[]; readonly held: readonly HeldMetaDataValue[] } {
    return { passIds: [...this.changed.keys()], held: [...this.changed.values()].flat() };
  }

  private add(held: HeldMetaDataValue): void {
    const passes = this.holders.get(keyOf(held)) ?? new Map<number, string>();
    this.holders.set(keyOf(held), passes.set(held.passId, held.uniqueId));
  }
}

function keyOf({ brandId, attribute, value }: MetaDataValue): string {
  return JSON.stringify([brandId, attribute, value]);
}
