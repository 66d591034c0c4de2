/** The few forms of DER (X.690) that a certificate is made of. */

const long = 0x80;

function lengthOf(bytes: number): Buffer {
  if (bytes < long) return Buffer.from([bytes]);
  const text = bytes.toString(16);
  const digits = Buffer.from(text.length % 2 === 0 ? text : `0${text}`, 'hex');
  return Buffer.concat([Buffer.from([long | digits.length]), digits]);
}

/** Any value by its tag. */
export function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content]);
}

export const sequence = (...parts: readonly Uint8Array[]): Buffer => der(0x30, ...parts);
export const setOf = (...parts: readonly Uint8Array[]): Buffer => der(0x31, ...parts);
export const octets = (content: Uint8Array): Buffer => der(0x04, content);
export const bits = (content: Uint8Array): Buffer => der(0x03, Buffer.from([0]), content);
export const yes = (): Buffer => der(0x01, Buffer.from([0xff]));
/** Must be positive and its first byte below 0x80. */
export const integer = (content: Uint8Array): Buffer => der(0x02, content);
export const text = (value: string): Buffer => der(0x0c, Buffer.from(value, 'utf8'));

/** Until 2049, as RFC 5280 section 4.1.2.5 has it. */
export const utcTime = (at: Date): Buffer =>
  der(
    0x17,
    Buffer.from(
      at
        .toISOString()
        .replace(/[-:T]|\.\d+/g, '')
        .slice(2),
      'latin1',
    ),
  );

export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const base128 = (value: number): number[] => {
    const digits = [value & 0x7f];
    for (let left = value >> 7; left > 0; left >>= 7) digits.unshift((left & 0x7f) | long);
    return digits;
  };
  return der(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}
