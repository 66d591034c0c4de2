import { refusalFingerprint } from './refusal-fingerprint.js';

describe('the fingerprint of a refusal', () => {
  it.each([
    ['Template 11 is not active', 'template 12  is not ACTIVE'],
    ["Unknown store 'berlin-07'", 'Unknown store "paris 3"'],
    ['ada@example.org is not valid', 'bob@example.com is not valid'],
    ['no brand 1f0e9a3c-8a52-4a9e-9d2b-0a7c3c1d2e3f here', 'no brand 2f0e9a3c-8a52-4a9e-9d2b-0a7c3c1d2e30 here'],
    ['member m_81273 is blocked', 'member m_7 is blocked'],
  ])('is the same for %j and %j', (one, other) => {
    expect(refusalFingerprint('refused', one)).toBe(refusalFingerprint('refused', other));
  });

  it('differs by wording and by code', () => {
    const fingerprints = [
      refusalFingerprint('refused', 'the program is closed'),
      refusalFingerprint('refused', 'the brand is closed'),
      refusalFingerprint('duplicate', 'the brand is closed'),
    ];
    expect(new Set(fingerprints).size).toBe(3);
  });

  it('is short, however long the message', () => {
    expect(refusalFingerprint('refused', 'x '.repeat(50_000)).length).toBeLessThan(250);
  });
});
