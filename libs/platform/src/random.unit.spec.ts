import { SystemRandom } from './random.js';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

describe('SystemRandom', () => {
  it.each([0, 1, 12, 32, 8_191, 8_192, 8_193, 100_000])('gives %d bytes', (count) => {
    expect(new SystemRandom().bytes(count)).toHaveLength(count);
  });

  it('never gives the same bytes twice, not across a refill either', () => {
    const random = new SystemRandom();
    const seen = new Set(Array.from({ length: 5_000 }, () => hex(random.bytes(12))));
    expect(seen.size).toBe(5_000);
  });

  it('gives bytes of one\u2019s own: changing them changes no others', () => {
    const random = new SystemRandom();
    const first = random.bytes(16);
    const copy = hex(first);
    const second = random.bytes(16);
    second.fill(0);
    expect(hex(first)).toBe(copy);
    first.fill(0);
    expect(hex(random.bytes(16))).not.toBe(hex(first));
  });

  it('gives bytes of every value', () => {
    const random = new SystemRandom();
    const values = new Set(Array.from({ length: 1_000 }, () => [...random.bytes(32)]).flat());
    expect(values.size).toBe(256);
  });

  it('gives version 4 UUIDs and numbers in [0, 1)', () => {
    const random = new SystemRandom();
    expect(random.uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(random.uuid()).not.toBe(random.uuid());
    const numbers = Array.from({ length: 1_000 }, () => random.unit());
    expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true);
    expect(Math.max(...numbers) - Math.min(...numbers)).toBeGreaterThan(0.5);
  });
});
