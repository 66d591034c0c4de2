import type { Correction } from '#intents';

import { maskedText } from '../masking/mask-personal.js';
import { changesShownMax, showCorrected } from './shown-record.js';

const names = { programs: new Set(['coffee-club']), tiers: new Set(['gold']), rewards: new Set<string>() };
const event = { specversion: '1.0', id: 'e', type: 'loyalty.member.enrolled.v1' };
const data = { program: 'coffee-club', memberId: 'm-1', person: { firstName: 'Ada' }, pass: { points: -1 } };

const textOf = (of: object): string => JSON.stringify({ ...event, data: of });

function show(correction: Correction | 'lost', value = textOf(data)): ReturnType<typeof showCorrected> {
  const headersText = '{"content-type":"application/json","ce_id":"e","x-shop":"Ada"}';
  const record = { key: Buffer.from('m-1'), value: Buffer.from(value), headersText, isUnreadable: false };
  return showCorrected(record, correction, names);
}

/** Of whatever kind it was. */
const masked = expect.stringMatching(/^(?:\w+(?:\(\d+\))? )?•••$/) as unknown;

describe('a corrected record', () => {
  it('is shown with what differs, and nothing personal', () => {
    const person = { firstName: 'Grace', lastName: 'H' };
    const shown = show({ value: textOf({ ...data, person, pass: { points: 1, status: 'ACTIVE' }, tier: 'gold' }) });
    expect(shown.changes).toEqual([
      { path: 'value.data.person.firstName', change: 'changed', from: masked, to: masked },
      { path: 'value.data.person.lastName', change: 'added', from: null, to: masked },
      { path: 'value.data.pass.points', change: 'changed', from: -1, to: 1 },
      { path: 'value.data.pass.status', change: 'added', from: null, to: 'ACTIVE' },
      { path: 'value.data.tier', change: 'added', from: null, to: 'gold' },
    ]);
    expect(shown).toMatchObject({ isReadable: true, key: 'm-1', encoding: 'text', hasMoreChanges: false });
    expect(JSON.stringify(shown)).not.toMatch(/Ada|Grace|"H"/);
  });

  it('may have another key and other headers; a key is shown where it is the member', () => {
    const headersText = '{"content-type":"application/json","ce_id":"f"}';
    expect(show({ key: 'm-2', headersText }).changes).toEqual([
      { path: 'key', change: 'changed', from: 'm-1', to: maskedText },
      { path: 'headers.ce_id', change: 'changed', from: 'e', to: 'f' },
      { path: 'headers.x-shop', change: 'removed', from: masked, to: null },
    ]);
  });

  it('is told as a whole where not even names are shown', () => {
    const before = textOf({ ...data, metaData: { Lovelace: 1 } });
    expect(show({ value: textOf({ ...data, metaData: { Byron: 1 } }) }, before).changes).toEqual([
      { path: 'value.data.metaData', change: 'changed', from: masked, to: masked },
    ]);
    expect(show({ value: textOf({ ...data, person: { 'Ada L': 1 } }) }, before).changes).toMatchObject([
      { path: 'value.data.person.firstName', change: 'removed' },
      { path: `value.data.person.${maskedText}`, change: 'added', to: masked },
      { path: 'value.data.metaData', change: 'removed', from: masked },
    ]);
  });

  it.each(['Ada, ada@example.org', '"Ada"', '["Ada"]', '['.repeat(100_000)])(
    'has replaced what was no event: %.20s',
    (text) => {
      const shown = show({ value: '{"specversion":"1.0"}' }, text);
      const to = { specversion: '1.0' };
      expect(shown.changes).toEqual([{ path: 'value', change: 'changed', from: maskedText, to }]);
      expect(shown.key).toBe(maskedText);
    },
  );

  const bought = (lines: unknown, total: unknown): string =>
    JSON.stringify({ ...event, type: 'loyalty.purchase.completed.v1', data: { memberId: 'm-1', lines, total } });

  it('has lists compared item by item, and a list is no object', () => {
    const { changes } = show({ value: bought([{ quantity: 1 }], []) }, bought([{ quantity: 1 }, { quantity: 2 }], {}));
    expect(changes).toEqual([
      { path: 'value.data.lines.1', change: 'removed', from: { quantity: 2 }, to: null },
      { path: 'value.data.total', change: 'changed', from: {}, to: masked },
    ]);
  });

  it('differs in more than is shown', () => {
    const lines = Array.from({ length: changesShownMax + 1 }, (_, quantity) => ({ quantity }));
    const { changes, hasMoreChanges } = show({ value: bought(lines, null) }, bought([], null));
    expect([changes.length, hasMoreChanges]).toEqual([changesShownMax, true]);
  });

  it('cannot be shown when no key opens it', () => {
    expect(show('lost')).toMatchObject({ isReadable: false, value: null, changes: [] });
  });
});
