import type { Random } from '#platform';
import type { Chance } from '#shop';

/** A process' random port: ids, nonces and jitter follow from the seed. */
export class SimRandom implements Random {
  constructor(private readonly chance: Chance) {}

  bytes(count: number): Uint8Array {
    const bytes = new Uint8Array(count);
    for (let index = 0; index < count; index += 1) bytes[index] = this.chance.unit() * 256;
    return bytes;
  }

  uuid(): string {
    const bytes = this.bytes(16);
    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
    const hex = Buffer.from(bytes).toString('hex');
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  }

  unit(): number {
    return this.chance.unit();
  }
}
