/**
 * A map for values that come and go by the thousand. Once a `Map` is old, V8 keeps each table that it has outgrown until the
 * next full collection, and with it what was in it: two fifths of all that grew old (docs/decisions/0015-what-makes-it-fast.md).
 * Here the map knows numbers alone; the values lie in slots that are used again.
 */
export class SlotMap<Value extends object> {
  private readonly slotOf = new Map<number, number>();
  /** As many as were needed at once. */
  private readonly slots: (Value | null)[] = [];
  private readonly free: number[] = [];

  get size(): number {
    return this.slotOf.size;
  }

  get(key: number): Value | undefined {
    const slot = this.slotOf.get(key);
    return slot === undefined ? undefined : (this.slots[slot] ?? undefined);
  }

  set(key: number, value: Value): void {
    const slot = this.slotOf.get(key) ?? this.free.pop() ?? this.slots.length;
    this.slotOf.set(key, slot);
    this.slots[slot] = value;
  }

  /** Takes it out. */
  take(key: number): Value | undefined {
    const slot = this.slotOf.get(key);
    if (slot === undefined) return undefined;
    const value = this.slots[slot] ?? undefined;
    this.slotOf.delete(key);
    this.slots[slot] = null;
    this.free.push(slot);
    return value;
  }

  /** In the order of their coming. */
  entries(): (readonly [number, Value])[] {
    return [...this.slotOf].flatMap(([key, slot]) => {
      const value = this.slots[slot];
      return value ? [[key, value] as const] : [];
    });
  }
}
