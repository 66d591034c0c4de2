import type { Chance } from '#shop';

/** Stands where a secret or something personal could: what shows it has quoted a value. */
export const planted = 'Quibblethorn-fuzzed-0a1b2c';

/** Texts at which readers have failed before. */
const oddTexts: readonly string[] = [
  ...['', ' ', '0', '-1', '-0', '1e999', '0101', '9007199254740993', 'null', 'true', '__proto__', 'constructor'],
  ...['\u0000', 'a\u0000b', '\ud800', '\ufeff', '\u202e', 'é', 'e\u0301', '𝔄', 'İ', '%00', '%', '..', '../..', '~'],
  ...['2026-02-30T25:61:61Z', '0000-01-01T00:00:00Z', '2026-11-21T10:15:60+14:00', "'; DROP TABLE intent; --", '{}'],
  ...['a'.repeat(300), 'a'.repeat(1_500), '[['.repeat(70), '{"a":'.repeat(70), '•••'],
];

const oddNumbers: readonly number[] = [
  ...[0, -0, 1, -1, 0.1, 1.5, -1e-7, 1e21, 1e308, 5e-324, 255, 256, 65_535, 2 ** 31 - 1, -(2 ** 31), 2 ** 32],
  ...[2 ** 53, -(2 ** 53), 2 ** 53 + 2, 2 ** 63, 1e15, 100_000, 500, 999_999],
];

const deepMax = 80;

function oddValue(chance: Chance, words: readonly string[]): unknown {
  switch (chance.below(9)) {
    case 0:
      return null;
    case 1:
      return chance.happens(0.5);
    case 2:
    case 3:
      return chance.pick(oddNumbers);
    case 4:
      return chance.pick<unknown>([[], {}, [[]], [null], { '': 1 }, { a: { b: {} } }]);
    case 5:
      return Array.from({ length: chance.below(deepMax) }).reduce<unknown>((inner) => [inner], planted);
    case 6:
      return words.length === 0 ? planted : chance.pick(words);
    case 7:
      return planted;
    default:
      return chance.pick(oddTexts);
  }
}

type Holder = Record<string, unknown> | unknown[];

function isHolder(value: unknown): value is Holder {
  return typeof value === 'object' && value !== null;
}

/** Every place within a JSON value: what holds it, and its key there. */
function placesOf(root: Holder): { readonly holder: Holder; readonly key: string }[] {
  const places: { readonly holder: Holder; readonly key: string }[] = [];
  const open: Holder[] = [root];
  for (let holder = open.pop(); holder !== undefined; holder = open.pop()) {
    for (const [key, value] of Object.entries(holder)) {
      places.push({ holder, key });
      if (isHolder(value)) open.push(value);
    }
  }
  return places;
}

function set(holder: Holder, key: string, value: unknown): void {
  // A far place in a list is as many nothings.
  if (Array.isArray(holder) && /^\d+$/.test(key) && Number(key) > holder.length) {
    holder.push(value);
    return;
  }
  // Not by assignment: `__proto__` is a key like any other here.
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
}

function changeAt(
  { holder, key }: { readonly holder: Holder; readonly key: string },
  chance: Chance,
  words: readonly string[],
): void {
  const old = (holder as Record<string, unknown>)[key];
  switch (chance.below(6)) {
    case 0:
      Reflect.deleteProperty(holder, key);
      return;
    case 1:
      set(holder, chance.happens(0.7) && words.length > 0 ? chance.pick(words) : chance.pick(oddTexts), old);
      return;
    case 2:
      set(
        holder,
        key,
        chance.happens(0.5) ? [old, structuredClone(old)] : { [chance.pick(['data', 'value', 'by', key])]: old },
      );
      return;
    case 3:
      if (typeof old === 'string') set(holder, key, old + (chance.happens(0.5) ? planted : chance.pick(oddTexts)));
      else set(holder, key, typeof old === 'number' ? String(old) : planted);
      return;
    default:
      set(holder, key, oddValue(chance, words));
  }
}

/** A JSON value in which a few things differ. @param words names and values that mean something to the reader */
export function mutateJson(value: unknown, chance: Chance, words: readonly string[]): unknown {
  if (!isHolder(value) || chance.happens(0.01)) return oddValue(chance, words);
  const changed = structuredClone(value);
  for (let count = 1 + chance.below(3); count > 0; count -= 1) {
    const places = placesOf(changed);
    if (places.length === 0 || chance.happens(0.1)) {
      set(changed, words.length > 0 ? chance.pick(words) : 'x', oddValue(chance, words));
    } else changeAt(chance.pick(places), chance, words);
  }
  return changed;
}

const oddBytes: readonly number[] = [
  0, 1, 9, 10, 0x20, 0x22, 0x2d, 0x30, 0x5b, 0x5c, 0x7b, 0x7d, 0x7f, 0x80, 0xc0, 0xed, 0xfe, 0xff,
];

interface Range {
  readonly from: number;
  readonly to: number;
}

function rangeIn(bytes: Buffer, chance: Chance, lengthMax = 32): Range {
  const from = chance.below(bytes.length + 1);
  return { from, to: Math.min(bytes.length, from + 1 + chance.below(lengthMax)) };
}

function replaced(bytes: Buffer, { from, to }: Range, by: Uint8Array): Buffer {
  return Buffer.concat([bytes.subarray(0, from), by, bytes.subarray(to)]);
}

function withByte(bytes: Buffer, chance: Chance): Buffer {
  const copy = Buffer.from(bytes);
  const at = chance.below(copy.length);
  copy[at] = chance.happens(0.5) ? chance.pick(oddBytes) : (copy[at] ?? 0) ^ (1 << chance.below(8));
  return copy;
}

/** Lengths, counts and offsets lie in 2, 4 or 8 bytes, the highest first. */
function withInteger(bytes: Buffer, chance: Chance): Buffer {
  const size = chance.pick([2, 4, 8]);
  if (bytes.length < size) return bytes;
  const copy = Buffer.from(bytes);
  const at = chance.below(copy.length - size + 1);
  const value = BigInt.asIntN(
    size * 8,
    BigInt(chance.pick([0, 1, -1, 2 ** 15, 2 ** 31 - 1, -(2 ** 31), 255, 1e6]) + chance.below(3)),
  );
  for (let index = 0; index < size; index += 1) {
    copy[at + index] = Number((value >> BigInt(8 * (size - 1 - index))) & 255n);
  }
  return copy;
}

function withNumber(bytes: Buffer, chance: Chance): Buffer {
  const text = bytes.toString('latin1');
  const numbers = [...text.matchAll(/-?\d+(?:\.\d+)?/g)];
  if (numbers.length === 0) return withByte(bytes, chance);
  const { index, 0: old } = chance.pick(numbers);
  return replaced(bytes, { from: index, to: index + old.length }, Buffer.from(String(chance.pick(oddNumbers))));
}

function mutateOnce(
  bytes: Buffer,
  chance: Chance,
  { words, others }: { readonly words: readonly string[]; readonly others: readonly Buffer[] },
): Buffer {
  const range = rangeIn(bytes, chance);
  const { from } = range;
  switch (chance.below(9)) {
    case 0:
      return replaced(bytes, range, Buffer.alloc(0));
    case 1:
      return replaced(
        bytes,
        { from, to: from },
        Buffer.from(Array.from({ length: 1 + chance.below(8) }, () => chance.below(256))),
      );
    case 2:
      return replaced(bytes, { from, to: from }, bytes.subarray(from, range.to));
    case 3:
      return replaced(
        bytes,
        { from, to: chance.happens(0.5) ? from : range.to },
        Buffer.from(chance.pick([...words, ...oddTexts, planted])),
      );
    case 4: {
      const other = others.length === 0 ? bytes : chance.pick(others);
      const part = rangeIn(other, chance, 200);
      return replaced(bytes, { from, to: chance.happens(0.5) ? from : range.to }, other.subarray(part.from, part.to));
    }
    case 5:
      return bytes.subarray(0, from);
    case 6:
      return withInteger(bytes, chance);
    case 7:
      return withNumber(bytes, chance);
    default:
      return withByte(bytes, chance);
  }
}

/** Inputs do not grow beyond it by being changed again and again. */
const mutatedBytesMax = 64 * 1024;

/** Bytes in which a few things differ. @param others of which parts may be taken */
export function mutateBytes(
  bytes: Buffer,
  chance: Chance,
  words: readonly string[] = [],
  others: readonly Buffer[] = [],
): Buffer {
  let changed = bytes.subarray(0, mutatedBytesMax);
  for (let count = 1 + chance.below(4); count > 0; count -= 1) {
    changed =
      changed.length === 0 ? Buffer.from(chance.pick(oddTexts)) : mutateOnce(changed, chance, { words, others });
  }
  return changed.subarray(0, mutatedBytesMax);
}
