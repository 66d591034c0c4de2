import type { Random } from '../random.js';
import { SystemRandom } from '../random.js';
import { seal, SealBrokenError, unseal } from './seal.js';
import type { SealContext } from './seal-context.js';
import { sealContext } from './seal-context.js';

const random = new SystemRandom();
const key = random.bytes(32);
const context = sealContext(['lane 7']);

describe('sealing', () => {
  it('opens with the same key and context', () => {
    const sealed = seal({ key, plain: 'Ada ☕', context }, random);
    expect(unseal({ key, sealed, context }).toString('utf8')).toBe('Ada ☕');
    expect(sealed.includes(Buffer.from('Ada'))).toBe(false);
  });

  it.each([
    ['another key', { key: random.bytes(32), context }],
    ['another context', { key, context: sealContext(['lane 8']) }],
  ])('refuses %s', (_name, change) => {
    const sealed = seal({ key, plain: 'Ada', context }, random);
    expect(() => unseal({ sealed, ...change })).toThrow(SealBrokenError);
  });

  it.each(['', 'a', '\u{1F382}', '\ud800', 'x'.repeat(100_000)])(
    'brings text and bytes back as they are: %#',
    (text) => {
      for (const plain of [text, Buffer.from(text)]) {
        expect(unseal({ key, sealed: seal({ key, plain, context }, random), context })).toEqual(Buffer.from(text));
      }
    },
  );

  it('refuses a change of any byte, bytes more or less, and what is too short to be sealed', () => {
    const sealed = seal({ key, plain: 'Ada', context }, random);
    const changed = Array.from(sealed, (_, at) => sealed.map((byte, of) => (of === at ? byte ^ 1 : byte)));
    const cut = Array.from(sealed, (_, length) => sealed.subarray(0, length));
    for (const wrong of [...changed, ...cut, Buffer.concat([sealed, Buffer.alloc(1)])]) {
      expect(() => unseal({ key, sealed: wrong, context })).toThrow(SealBrokenError);
    }
  });

  it('never seals two texts the same way', () => {
    const sealed = Array.from({ length: 1_000 }, () => seal({ key, plain: 'Ada', context }, random).toString('hex'));
    expect(new Set(sealed.map((hex) => hex.slice(2, 50))).size).toBe(1_000);
  });

  it("is XChaCha20-Poly1305: the specification's own example (draft-irtf-cfrg-xchacha-03, A.3.1)", () => {
    const nonce = Buffer.from('404142434445464748494a4b4c4d4e4f5051525354555657', 'hex');
    const fixed: Random = { bytes: () => nonce, uuid: () => '', unit: () => 0 };
    const sealed = seal(
      {
        key: Buffer.from('808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f', 'hex'),
        plain:
          "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it.",
        context: Buffer.from('50515253c0c1c2c3c4c5c6c7', 'hex') as Uint8Array as SealContext,
      },
      fixed,
    );
    expect(sealed.toString('hex')).toBe(
      `01${nonce.toString('hex')}` +
        'bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb' +
        '731c7f1b0b4aa6440bf3a82f4eda7e39ae64c6708c54c216cb96b72e1213b452' +
        '2f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff9' +
        '21f9664c97637da9768812f615c68b13b52ec0875924c1c7987947deafd8780acf49',
    );
  });
});
