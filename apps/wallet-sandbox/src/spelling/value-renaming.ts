/** Stands where a value in here came in that is spelled otherwise outside: no schema takes it. */
const unknownValue = '(unknown)';

type Scalar = string | number;

/** Values of one kind (data types, statuses), between how they are spelled outside and what they are in here. */
export class ValueRenaming<Value extends Scalar> {
  private readonly canonical: ReadonlyMap<unknown, Value>;
  private readonly spelled: ReadonlyMap<unknown, Scalar>;

  constructor(pairs: readonly (readonly [value: Value, spelled: Scalar])[]) {
    const changed = pairs.filter(([value, other]) => value !== other);
    this.spelled = new Map(changed);
    this.canonical = new Map(changed.map(([value, other]) => [other, value]));
  }

  get isEmpty(): boolean {
    return this.spelled.size === 0;
  }

  read(value: unknown): unknown {
    return this.canonical.get(value) ?? (this.spelled.has(value) ? unknownValue : value);
  }

  write(value: unknown): unknown {
    return this.spelled.get(value) ?? value;
  }
}
