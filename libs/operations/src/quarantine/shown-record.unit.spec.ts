import type { Correction } from '#intents';

import { maskedText } from '../masking/mask-personal.js';
import { changesShownMax, showCorrected } from './shown-record.js';

const data = { program: 'coffee-club', memberId: 'm-1', person: { firstName: 'Ada' }, total: { minor: -1 } };

function show(correction: Correction | 'lost', value: unknown = { id: 'e', data }): ReturnType<typeof showCorrected> {
  const bytes = Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
  const headersText = '{"content-type":"application/json","ce_id":"e","x-shop":"Ada"}';
  return showCorrected({ key: Buffer.from('m-1'), value: bytes, headersText, isUnreadable: false }, correction);
}

describe('a corrected record', () => {
  it('is shown with what differs, and nothing personal', () => {
    const better = { ...data, person: { firstName: 'Grace', lastName: 'H' }, total: { minor: 1, currency: 'EUR' } };
    const { total, ...rest } = better;
    const shown = show({ value: JSON.stringify({ id: 'e', data: { ...rest, total, tier: 'gold' } }) });
    expect(shown.changes).toEqual([
      { path: 'value.data.person.firstName', change: 'changed', from: maskedText, to: maskedText },
      { path: 'value.data.person.lastName', change: 'added', from: null, to: maskedText },
      { path: 'value.data.total.minor', change: 'changed', from: -1, to: 1 },
      { path: 'value.data.total.currency', change: 'added', from: null, to: 'EUR' },
      { path: 'value.data.tier', change: 'added', from: null, to: 'gold' },
    ]);
    expect(shown).toMatchObject({ isReadable: true, key: 'm-1', encoding: 'text', hasMoreChanges: false });
    expect(JSON.stringify(shown)).not.toMatch(/Ada|Grace|"H"/);
  });

  it('may have another key and other headers', () => {
    const headersText = '{"content-type":"application/json","ce_id":"f"}';
    expect(show({ key: 'm-2', headersText }).changes).toEqual([
      { path: 'key', change: 'changed', from: 'm-1', to: 'm-2' },
      { path: 'headers.ce_id', change: 'changed', from: 'e', to: 'f' },
      { path: 'headers.x-shop', change: 'removed', from: maskedText, to: null },
    ]);
  });

  it.each(['Ada, ada@example.org', '"Ada"', '['.repeat(100_000)])('has replaced what was no event: %.20s', (text) => {
    const shown = show({ value: '{"id":"e"}' }, text);
    expect(shown.changes).toEqual([{ path: 'value', change: 'changed', from: maskedText, to: { id: 'e' } }]);
  });

  it('has lists compared item by item, and a list is no object', () => {
    const lines = [{ sku: 'a' }, { sku: 'b' }];
    const { changes } = show({ value: JSON.stringify({ lines: [{ sku: 'a' }], total: [] }) }, { lines, total: {} });
    expect(changes).toEqual([
      { path: 'value.lines.1', change: 'removed', from: { sku: 'b' }, to: null },
      { path: 'value.total', change: 'changed', from: {}, to: [] },
    ]);
  });

  it('differs in more than is shown', () => {
    const lines = Array.from({ length: changesShownMax + 1 }, (_, index) => ({ sku: String(index) }));
    const { changes, hasMoreChanges } = show({ value: JSON.stringify({ lines }) }, { lines: [] });
    expect([changes.length, hasMoreChanges]).toEqual([changesShownMax, true]);
  });

  it('cannot be shown when no key opens it', () => {
    expect(show('lost')).toMatchObject({ isReadable: false, value: null, changes: [] });
  });
});
