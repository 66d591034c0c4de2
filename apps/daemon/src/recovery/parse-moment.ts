const rfc3339 = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;

/** Epoch milliseconds of an RFC 3339 time; NaN where it is none. Without an offset nobody knows which moment is meant. */
export function parseMoment(text: string): number {
  return rfc3339.test(text) ? Date.parse(text.replace(' ', 'T')) : NaN;
}
