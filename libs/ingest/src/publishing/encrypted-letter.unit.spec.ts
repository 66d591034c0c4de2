import { generateKeyPairSync } from 'node:crypto';

import type { DeadLetter } from '#intents';

import { deadLetterDetailLengthMax, encryptedValueBytesMax, toEncryptedMessage } from './dead-letters.js';
import { encryptionFor, letterOpener } from './encrypted-letter.js';

const publicKeyEncoding = { type: 'spki', format: 'pem' } as const;
const privateKeyEncoding = { type: 'pkcs8', format: 'pem' } as const;
interface Pair {
  readonly publicKey: string;
  readonly privateKey: string;
}

const keys = {
  'RSA of 2048 bits': (): Pair =>
    generateKeyPairSync('rsa', { modulusLength: 2_048, publicKeyEncoding, privateKeyEncoding }),
  'P-256': (): Pair => generateKeyPairSync('ec', { namedCurve: 'P-256', publicKeyEncoding, privateKeyEncoding }),
  'P-384': (): Pair => generateKeyPairSync('ec', { namedCurve: 'P-384', publicKeyEncoding, privateKeyEncoding }),
  'P-521': (): Pair => generateKeyPairSync('ec', { namedCurve: 'P-521', publicKeyEncoding, privateKeyEncoding }),
  X25519: (): Pair => generateKeyPairSync('x25519', { publicKeyEncoding, privateKeyEncoding }),
};

const letter: DeadLetter = {
  ...{ quarantineId: 17, topic: 'loyalty.purchases', partition: 3, lastOffset: null, offset: 42, reason: 'invalid' },
  detail: 'data.total: required',
  key: Buffer.from('m_1'),
  value: Buffer.from('{"a":1}\nand more'),
  headersText: '{"ce_id":"e-1","bytes":{"base64":"Yf8="}}',
  isUnreadable: false,
};

const ec = keys['P-256']();

async function valueOf(changes: Partial<DeadLetter>, isShort = false): Promise<string> {
  return String((await toEncryptedMessage({ ...letter, ...changes }, ec.publicKey, isShort)).value);
}

describe('a dead letter that is encrypted', () => {
  it.each(Object.entries(keys))('is opened by the private key, whole: %s', async (_name, generate) => {
    const { publicKey, privateKey } = generate();
    const message = await toEncryptedMessage(letter, publicKey, false);
    expect(message).toMatchObject({
      key: '17',
      headers: { 'content-type': 'application/jose', 'x-reason': 'invalid' },
    });
    const { isUnreadable: _, headersText: __, ...expected } = letter;
    expect(await letterOpener(privateKey)(String(message.value))).toEqual({
      ...expected,
      ...{ isTruncated: false, headers: { ce_id: 'e-1', bytes: { base64: 'Yf8=' } } },
    });
  });

  it('is opened by no other key, nor when something of it was changed', async () => {
    const value = await valueOf({});
    expect(await letterOpener(keys['P-256']().privateKey)(value)).toBeNull();
    const open = letterOpener(ec.privateKey);
    // The first sign of its tag: of the last one some bits count for nothing.
    const changed = value.replace(/\.(\w|-)([\w-]*)$/, (_all, first, rest) => `.${first === 'A' ? 'B' : 'A'}${rest}`);
    expect(changed).not.toBe(value);
    expect(await open(changed)).toBeNull();
    expect(await open('no letter')).toBeNull();
  });

  it('tells a record without a value from an empty one', async () => {
    const open = letterOpener(ec.privateKey);
    expect((await open(await valueOf({ value: null })))?.value).toBeNull();
    expect((await open(await valueOf({ value: Buffer.alloc(0) })))?.value).toEqual(Buffer.alloc(0));
  });

  it.each<[string, Partial<DeadLetter>, boolean]>([
    ['a value too large', { value: Buffer.alloc(encryptedValueBytesMax + 1) }, false],
    ['a part that no key opens', { isUnreadable: true }, false],
    ['a topic that takes less', {}, true],
  ])('is truncated, and says why it was set aside all the same: %s', async (_what, changes, isShort) => {
    const message = await toEncryptedMessage({ ...letter, ...changes }, ec.publicKey, isShort);
    expect(message.headers).toMatchObject({ 'x-truncated': 'true' });
    const opened = await letterOpener(ec.privateKey)(String(message.value));
    expect(opened).toMatchObject({ isTruncated: true, key: null, value: null, headers: {}, detail: letter.detail });
  });

  it('is not larger than brokers take', async () => {
    const value = Buffer.alloc(encryptedValueBytesMax);
    const headersText = JSON.stringify({ a: 'x'.repeat(60_000) });
    const long = await valueOf({ value, headersText, detail: 'x'.repeat(deadLetterDetailLengthMax) });
    expect(long.length).toBeLessThan(1024 * 1024 - 1_024);
  });
});

it.each([
  [
    'RSA of 1024 bits',
    generateKeyPairSync('rsa', { modulusLength: 1_024, publicKeyEncoding, privateKeyEncoding }).publicKey,
  ],
  [
    'another curve',
    generateKeyPairSync('ec', { namedCurve: 'secp256k1', publicKeyEncoding, privateKeyEncoding }).publicKey,
  ],
  ['a key to sign with', generateKeyPairSync('ed25519', { publicKeyEncoding, privateKeyEncoding }).publicKey],
  ['no key', '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n'],
])('refuses at the start, by the name of the setting: %s', (_what, pem) => {
  expect(() => encryptionFor(pem)).toThrow(/^DEAD_LETTER_PUBLIC_KEY: /);
});
