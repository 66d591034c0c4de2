import type { z } from 'zod';

/** A zod check: no two entries of an array share the value of `key`. */
export function refuseRepeated<Key extends string>(key: Key): z.core.CheckFn<Readonly<Record<Key, string | number>>[]> {
  return ({ value: entries, issues }) => {
    const seen = new Set<string | number>();
    entries.forEach((entry, index) => {
      const value = entry[key];
      if (seen.has(value)) {
        issues.push({ code: 'custom', input: value, path: [index, key], message: `${key} ${value} is given twice` });
      }
      seen.add(value);
    });
  };
}
