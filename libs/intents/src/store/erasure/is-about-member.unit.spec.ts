import type { DeadLetter } from '../quarantine/dead-letters.js';
import { isAboutMember } from './erase-quarantined.js';

const member = { program: 'coffee-club', memberId: 'm_1' };

function letter(value: string | null, rest: { readonly key?: string; readonly headers?: object } = {}): DeadLetter {
  return {
    ...{ quarantineId: 1, topic: 't', partition: 0, offset: 0, brokerAt: 0, lastOffset: null },
    ...{ reason: 'invalid', detail: '', isUnreadable: false },
    key: rest.key === undefined ? null : Buffer.from(rest.key),
    value: value === null ? null : Buffer.from(value),
    headersText: JSON.stringify(rest.headers ?? {}),
  };
}

const json = (data: object): string => JSON.stringify({ specversion: '1.0', data });
const base64 = (data: string): string =>
  JSON.stringify({ specversion: '1.0', data_base64: Buffer.from(data).toString('base64') });
const twice = (data: object, encoded: object): string =>
  JSON.stringify({ data, data_base64: Buffer.from(JSON.stringify(encoded)).toString('base64') });
const misspelled = letter(json({ program: 'cofee-club', memberId: 'm_1' }));

describe('a record that was set aside is about a member', () => {
  it.each<[string, DeadLetter]>([
    ['that its event names', letter(json({ program: 'coffee-club', memberId: 'm_1' }))],
    ['that its data names, in binary mode', letter('{"program":"coffee-club","memberId":"m_1"}')],
    ['that its encoded data names', letter(base64('{"program":"coffee-club","memberId":"m_1"}'))],
    ['that its encoded data names somewhere', letter(base64('{"order":{"memberId":"m_1"'))],
    ['that one of its two data names', letter(twice({ memberId: 'm_1' }, { memberId: 'm_2' }))],
    ['that the other of its two data names', letter(twice({ memberId: 'm_2' }, { memberId: 'm_1' }))],
    ['whatever its key', letter(json({ program: 'coffee-club', memberId: 'm_1' }), { key: 'x' })],
    ['of a program that it does not name', letter(json({ memberId: 'm_1' }))],
    ['that only its key names', letter('Ada Lovelace, ada@example.org', { key: 'm_1' })],
    ['that only its key names, without a value', letter(null, { key: 'm_1' })],
    ['though it is cut off', letter('{"data":{"program":"coffee-club","memberId": "m_1","person":{"firstName":"A')],
    ['that its subject names', letter('{"subject":"m_1","data":{"person":{}}}')],
    ['that the subject in its headers names', letter('{', { headers: { ce_subject: 'm_1' } })],
    ['deep in another shape', letter(json({ order: { customer: { memberId: 'm_1' } } }))],
    ['under a program that nobody has', { ...misspelled, reason: 'unknown-program' }],
  ])('%s', (_what, record) => {
    expect(isAboutMember(record, member)).toBe(true);
  });

  it.each<[string, DeadLetter]>([
    ['another member', letter(json({ program: 'coffee-club', memberId: 'm_2' }))],
    ['another member, under our key', letter(json({ program: 'coffee-club', memberId: 'm_2' }), { key: 'm_1' })],
    ['a member of another program', letter(json({ program: 'tea-club', memberId: 'm_1' }), { key: 'm_1' })],
    ['another member, in encoded data', letter(base64('{"program":"coffee-club","memberId":"m_2"}'), { key: 'm_1' })],
    ['somebody whose id begins alike', letter('{"memberId":"m_11"')],
    ['the same word elsewhere', letter('{"channel":"m_1"')],
    ['a member of that program, refused for something else', misspelled],
    ['nobody', letter('x')],
    ['nobody, without a value', letter(null)],
    ['nobody, as a list', letter('["m_1"]')],
  ])('but not where it is about %s', (_what, record) => {
    expect(isAboutMember(record, member)).toBe(false);
  });

  it('knows an id of digits where a till sent it as a number', () => {
    const numbered = { ...member, memberId: '4711' };
    const person = { firstName: 'Ada' };
    const sent = json({ program: 'coffee-club', memberId: 4711, person });
    expect(isAboutMember(letter(sent), numbered)).toBe(true);
    expect(isAboutMember(letter(sent), { ...member, memberId: '471' })).toBe(false);
    expect(isAboutMember(letter(sent), { ...member, memberId: '711' })).toBe(false);
    expect(isAboutMember(letter('{"memberId": 4711.5'), numbered)).toBe(false);
  });

  it('takes an id literally', () => {
    expect(isAboutMember(letter('{"memberId":"mX1"'), { ...member, memberId: 'm.1' })).toBe(false);
    expect(isAboutMember(letter('{"memberId":"m.1\\"(", '), { ...member, memberId: 'm.1"(' })).toBe(true);
  });
});
