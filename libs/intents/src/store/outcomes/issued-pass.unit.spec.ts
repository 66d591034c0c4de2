import { issuedPass } from './outcome.js';

const evidence = (body: string): string => JSON.stringify({ phase: 'answered', response: { status: 200, body } });

describe('the pass in the evidence', () => {
  it('keeps an id beyond 2^53 exact', () => {
    const pass = issuedPass(evidence('{"passId":12345678901234567890,"serialNumber":"s"}'));
    expect(pass?.passId).toBe('12345678901234567890');
  });

  it('leaves out what is missing or mistyped, and everything that is not asked for', () => {
    const body = '{"passId":"x","serialNumber":"s","downloadUrl":7,"statusCode":"ACTIVE","personId":"p"}';
    expect(issuedPass(evidence(body))).toEqual({
      ...{ passId: null, serialNumber: 's', statusCode: 'ACTIVE' },
      ...{ downloadUrl: null, downloadUrlApple: null, downloadUrlGoogle: null },
    });
  });

  it('is what a lookup has found out about an attempt in doubt', () => {
    const lookup = { response: { body: '{"serialNumber":"s"}' } };
    expect(issuedPass(JSON.stringify({ lookup, listed: null }))).toMatchObject({ serialNumber: 's' });
  });

  it.each([
    ['no evidence', ''],
    ['no response', '{"response":null}'],
    ['an empty body', evidence('')],
    ['a body cut off', evidence('{"serialNumber":"s","down')],
    ['another answer', evidence('{"message":"ok"}')],
    ['a list', evidence('[]')],
    ['a serial number that is none', evidence('{"serialNumber":7}')],
  ])('is not there: %s', (_what, text) => {
    expect(issuedPass(text)).toBeNull();
  });
});
