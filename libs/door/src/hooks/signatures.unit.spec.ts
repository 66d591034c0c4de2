import { createHmac } from 'node:crypto';

import type { Hook } from '#contracts';
import { hookSchema } from '#contracts';

import type { SignatureVerdict } from './signatures.js';
import { adyenBytesMax, judgeSignature } from './signatures.js';

/** Characters of several bytes, two spaces in a row, a number with a zero at its end: nothing of it may be written anew. */
const body = '{"id":820982911946154508,"email":"jon@example.com","note":"Größe 38 – ☕  two  spaces","total":"59.90"}';

const hookOf = (hook: object): Hook => hookSchema.parse({ secretFiles: ['/unused'], ...hook });

const shopify = hookOf({ scheme: 'shopify' });
const square = hookOf({ scheme: 'square', url: 'https://example.com/webhook' });
const adyen = hookOf({ scheme: 'adyen' });
const stripe = hookOf({ scheme: 'stripe' });
const github = hookOf({ scheme: 'hmac', header: 'X-Hub-Signature-256', encoding: 'hex', prefix: 'sha256=' });

interface Sent {
  readonly secrets: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  readonly now?: number;
}

const judge = (hook: Hook, { secrets, headers = {}, body: sent, now = 0 }: Sent): SignatureVerdict =>
  judgeSignature(hook, secrets, { headers, body: Buffer.from(sent), now });

const isTaken = (hook: Hook, sent: Sent): boolean => judge(hook, sent).ok;

// Of `openssl dgst -sha256 -hmac hush`, and of `hush-next`.
const byHush = 'd+5cpwN/H9YxS0KDnYYw8Ub3j/2K1H0+MTeFLJcizOM=';
const byNext = '3sr8Nvd870lPZ3Njo+LFB2wVMFN+fWVVwFBiQa5MOkM=';

describe('a webhook signed as Shopify does', () => {
  const sent = (signature: string, secrets = ['hush'], text: string | Buffer = body): Sent => ({
    ...{ secrets, headers: { 'x-shopify-hmac-sha256': signature }, body: text },
  });

  it('is taken with the signature that another program has computed of its bytes', () => {
    expect(isTaken(shopify, sent(byHush))).toBe(true);
  });

  it.each([
    ['a space less', body.replace('  ', ' ')],
    ['another number', body.replace('508', '500')],
    ['an umlaut composed otherwise', body.replace('ö', 'o\u0308')],
    ['a byte order mark', `\ufeff${body}`],
    ['a line break at its end', `${body}\n`],
    ['nothing', ''],
  ])('is refused with %s in its body', (_what, text) => {
    expect(judge(shopify, sent(byHush, ['hush'], text))).toEqual({ ok: false, rule: 'the signature is none of ours' });
  });

  it('is taken with either of two secrets while they are rotated, and with no other', () => {
    for (const signature of [byHush, byNext]) {
      expect(isTaken(shopify, sent(signature, ['hush-next', 'hush']))).toBe(true);
    }
    expect(isTaken(shopify, sent(byHush, ['hush-next']))).toBe(false);
    expect(isTaken(shopify, sent(byNext, ['hush']))).toBe(false);
  });

  it.each([
    ['in hex', Buffer.from(byHush, 'base64').toString('hex')],
    ['without its padding', byHush.slice(0, -1)],
    ['twice, as headers are joined', `${byHush}, ${byHush}`],
    ['cut off', byHush.slice(0, 12)],
    ['empty', ''],
  ])('is refused with its signature %s', (_how, signature) => {
    expect(isTaken(shopify, sent(signature))).toBe(false);
  });

  it('is refused without one, and says which header it lacks', () => {
    const verdict = judge(shopify, { secrets: ['hush'], body });
    expect(verdict).toEqual({ ok: false, rule: 'x-shopify-hmac-sha256: required' });
  });

  it('is refused while there is no secret', () => {
    expect(isTaken(shopify, sent(byHush, []))).toBe(false);
  });
});

describe('a webhook signed as Square does', () => {
  // The example of Square's own documentation.
  const sent = {
    secrets: ['asdf1234'],
    headers: { 'x-square-hmacsha256-signature': '2kRE5qRU2tR+tBGlDwMEw2avJ7QM4ikPYD/PJ3bd9Og=' },
    body: '{"hello":"world"}',
  };

  it('is taken by the notification URL and the body', () => {
    expect(isTaken(square, sent)).toBe(true);
  });

  it('is refused for another URL, body or key', () => {
    expect(isTaken(hookOf({ scheme: 'square', url: 'https://example.com/webhook/' }), sent)).toBe(false);
    expect(isTaken(square, { ...sent, body: '{"hello": "world"}' })).toBe(false);
    expect(isTaken(square, { ...sent, secrets: ['asdf12345'] })).toBe(false);
  });
});

describe('a webhook signed as Adyen does', () => {
  // Key, item and signature are those of the test of Adyen's own libraries.
  const key = '44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056';
  const item = {
    additionalData: { hmacSignature: 'coqCmt/IZ4E3CzPvMY8zTjQVL5hYJUiBRg8UU+iCWo0=' },
    amount: { value: 1130, currency: 'EUR' },
    pspReference: '7914073381342284',
    eventCode: 'AUTHORISATION',
    merchantAccountCode: 'TestMerchant',
    merchantReference: 'TestPayment-1407325143704',
    paymentMethod: 'visa',
    success: 'true',
  };
  const sent = (items: readonly unknown[], secrets = [key]): Sent => ({
    secrets,
    body: JSON.stringify({
      live: 'false',
      notificationItems: items.map((each) => ({ NotificationRequestItem: each })),
    }),
  });

  it('is taken, with either key, in either case', () => {
    expect(isTaken(adyen, sent([item]))).toBe(true);
    const older = { ...item, additionalData: { hmacSignature: 'Ny9gS2veKo5E4w8/OL6xz1/wvT/hYkAXy1xNc/QvO4I=' } };
    const olderKey = 'dfb1eb5485895cfa84146406857104abb4cbcabdc8aaf103a624c8f6a3eaab00';
    expect(isTaken(adyen, sent([item, older], [key, olderKey]))).toBe(true);
  });

  it('is refused where any of its items is not signed', () => {
    expect(isTaken(adyen, sent([item, { ...item, amount: { value: 1131, currency: 'EUR' } }]))).toBe(false);
    expect(isTaken(adyen, sent([item, { ...item, additionalData: {} }]))).toBe(false);
    expect(isTaken(adyen, sent([item, null]))).toBe(false);
  });

  it('is refused without items, and where it is no JSON', () => {
    for (const text of ['{}', '{"notificationItems":[]}', '[]', 'x', '']) {
      expect(isTaken(adyen, { secrets: [key], body: text })).toBe(false);
    }
  });

  it('is refused with a key that is no hex: no part of it would count', () => {
    expect(isTaken(adyen, sent([item], [`${key}zz`]))).toBe(false);
  });

  it('is refused where what is signed of it is the text of another item: a reference that has colons, moved on', () => {
    const signed = (each: object, text: string): object => {
      const hmacSignature = createHmac('sha256', Buffer.from(key, 'hex')).update(text).digest('base64');
      return { ...each, additionalData: { hmacSignature } };
    };
    const merchantReference = 'cup:999900:EUR';
    const text = `7914073381342284::TestMerchant:${merchantReference}:5:EUR:AUTHORISATION:true`;
    expect(
      isTaken(adyen, sent([signed({ ...item, merchantReference, amount: { value: 5, currency: 'EUR' } }, text)])),
    ).toBe(true);
    const moved = {
      merchantReference: 'cup',
      amount: { value: 999900, currency: 'EUR' },
      eventCode: '5',
      success: 'EUR:AUTHORISATION:true',
    };
    expect(isTaken(adyen, sent([signed({ ...item, ...moved }, text)]))).toBe(false);
    const before = {
      pspReference: '7914073381342284::TestMerchant:cup',
      originalReference: '999900',
      merchantAccountCode: 'EUR',
    };
    const rest = {
      merchantReference: '5',
      amount: { value: 'EUR', currency: 'AUTHORISATION' },
      eventCode: 'true',
      success: '',
    };
    expect(isTaken(adyen, sent([signed({ ...item, ...before, ...rest }, `${text}:`)]))).toBe(false);
  });

  it('is refused before it is read where it is longer than any of theirs: whoever is not known pays with no more of our time', () => {
    const padded = sent([{ ...item, paymentMethod: 'x'.repeat(adyenBytesMax) }]);
    expect(judge(adyen, padded)).toEqual({ ok: false, rule: `longer than ${adyenBytesMax} bytes` });
    expect(isTaken(adyen, sent([{ ...item, paymentMethod: 'x'.repeat(adyenBytesMax / 2) }]))).toBe(true);
  });

  it('is refused where a list stands for a field', () => {
    expect(isTaken(adyen, sent([{ ...item, pspReference: ['7914073381342284'] }]))).toBe(false);
  });
});

describe('a webhook signed as Stripe does', () => {
  const at = 1_492_774_577;
  // Of `openssl dgst -sha256 -hmac whsec_test` over the time, a point and the body, and of `whsec_next`.
  const first = '9e6feac851d65c3d76038de02119a3349359a8730e802a192f587da0cc323bd2';
  const second = 'a826abe92850833eaee9145d1fa1ccda4afbff29db3e1809ec090a13150cff0c';
  const sent = (header: string, more: Partial<Sent> = {}): Sent => ({
    ...{ secrets: ['whsec_test'], headers: { 'stripe-signature': header }, body, now: at * 1_000 },
    ...more,
  });

  it('is taken within its window, by any of its signatures', () => {
    for (const secondsOff of [-300, 0, 300]) {
      expect(isTaken(stripe, sent(`t=${at},v1=${first}`, { now: (at + secondsOff) * 1_000 }))).toBe(true);
    }
    expect(isTaken(stripe, sent(`t=${at}, v1=${second}, v1=${first}, v0=abc`))).toBe(true);
    expect(isTaken(stripe, sent(`t=${at},v1=${second}`, { secrets: ['whsec_test', 'whsec_next'] }))).toBe(true);
  });

  it.each([301, -301, 86_400])('is refused when it comes again %d s off', (secondsOff) => {
    expect(judge(stripe, sent(`t=${at},v1=${first}`, { now: (at + secondsOff) * 1_000 }))).toEqual({
      ok: false,
      rule: 'stripe-signature: signed more than 300 s ago, or ahead',
    });
  });

  it('is refused with a time that was not signed', () => {
    expect(isTaken(stripe, sent(`t=${at + 1},v1=${first}`))).toBe(false);
    expect(isTaken(stripe, sent(`t=${at},t=${at + 1},v1=${first}`))).toBe(false);
    expect(isTaken(stripe, sent(`v1=${first}`))).toBe(false);
    expect(isTaken(stripe, sent(`t=${at},v0=${first}`))).toBe(false);
  });

  it('says nothing of a window to who has no secret', () => {
    const verdict = judge(stripe, sent(`t=1,v1=${first}`));
    expect(verdict).toEqual({ ok: false, rule: 'the signature is none of ours' });
  });
});

describe('a webhook signed in a header of its own', () => {
  // The example of GitHub's own documentation.
  const sent = {
    secrets: ["It's a Secret to Everybody"],
    headers: { 'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17' },
    body: 'Hello, World!',
  };

  it('is taken with what stands before the signature, and refused without', () => {
    expect(isTaken(github, sent)).toBe(true);
    const bare = { 'x-hub-signature-256': sent.headers['x-hub-signature-256'].slice('sha256='.length) };
    expect(isTaken(github, { ...sent, headers: bare })).toBe(false);
  });

  it('is taken in base64 where the hook says so', () => {
    const plain = hookOf({ scheme: 'hmac', header: 'x-signature', encoding: 'base64' });
    expect(isTaken(plain, { secrets: ['hush'], headers: { 'x-signature': byHush }, body })).toBe(true);
  });
});

describe('what a webhook says, whatever it is', () => {
  it('never makes the judgement throw, and is never taken unsigned', () => {
    const texts = [
      '',
      ' ',
      't=',
      't=1,v1=',
      'sha256=',
      '=,=,=',
      '\u0000',
      'ü'.repeat(44),
      `${'A'.repeat(43)}=`,
      ','.repeat(9_999),
    ];
    const bodies = [
      '',
      '{',
      '[[[[',
      '{"notificationItems":{}}',
      '{"notificationItems":[[]]}',
      '\ud800',
      '['.repeat(5_000),
    ];
    const names = ['x-shopify-hmac-sha256', 'x-square-hmacsha256-signature', 'stripe-signature', 'x-hub-signature-256'];
    for (const hook of [shopify, square, adyen, stripe, github]) {
      for (const text of texts) {
        const headers = Object.fromEntries(names.map((name) => [name, text]));
        for (const each of bodies) expect(isTaken(hook, { secrets: ['hush'], headers, body: each })).toBe(false);
      }
    }
  });
});
