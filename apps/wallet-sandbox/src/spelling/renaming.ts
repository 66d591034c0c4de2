import { refuseName } from '../http/refusal.js';

export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The names of one place, between how they are spelled outside and what they are called in here. */
export class Renaming {
  private readonly canonical: ReadonlyMap<string, string>;
  private readonly spelled: ReadonlyMap<string, string>;

  constructor(spelled: JsonObject) {
    const changed = Object.entries(spelled).filter(([name, other]) => name !== other) as [string, string][];
    this.spelled = new Map(changed);
    this.canonical = new Map(changed.map(([name, other]) => [other, name]));
  }

  get isEmpty(): boolean {
    return this.spelled.size === 0;
  }

  /** What came in, by its names in here. A name in here that is spelled otherwise outside is unknown: 400. */
  read(value: unknown): unknown {
    if (this.isEmpty || !isJsonObject(value)) return value;
    return mapKeys(value, (name) => this.canonical.get(name) ?? (this.spelled.has(name) ? refuseName(name) : name));
  }

  /** What goes out, by its names outside. */
  write(value: unknown): unknown {
    if (this.isEmpty || !isJsonObject(value)) return value;
    return mapKeys(value, (name) => this.spell(name));
  }

  spell(name: string): string {
    return this.spelled.get(name) ?? name;
  }
}

/** An object with one property made into another; the same object where it has none of that name. */
export function mapProperty(value: unknown, name: string, change: (property: unknown) => unknown): unknown {
  return isJsonObject(value) && Object.hasOwn(value, name) ? { ...value, [name]: change(value[name]) } : value;
}

function mapKeys(value: JsonObject, rename: (name: string) => string): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([name, property]) => [rename(name), property]));
}

/** Stands where a value in here came in that is spelled otherwise outside: no schema takes it. */
export const unknownValue = '(unknown)';

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
