/** The better one first. */
export const codings = ['br', 'gzip'] as const;

export type Coding = (typeof codings)[number];

/** Of `br;q=0.8, gzip;q=0`: whether that coding is wanted (RFC 9110, section 12.5.3). */
function accepts(header: string, coding: Coding): boolean {
  const wanted = header.split(',').map((part) => {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    return { name, isRefused: parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter)) };
  });
  const named = wanted.find(({ name }) => name === coding) ?? wanted.find(({ name }) => name === '*');
  return named?.isRefused === false;
}

/** The best that a client takes and that there is. @param header `Accept-Encoding` @returns null: none, it is sent as it is */
export function acceptedCoding(header: string, there: readonly Coding[] = codings): Coding | null {
  return there.find((coding) => accepts(header, coding)) ?? null;
}
