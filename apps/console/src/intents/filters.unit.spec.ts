import { filterChange, filterTexts, momentOf, readFilters, replayObstacle } from './filters.js';

const nowMs = Date.parse('2026-11-27T10:30:00Z');

describe('filters in an address', () => {
  it('are what the API is asked for', () => {
    const search = { status: 'parked', memberId: 'm-1', tab: 'x', q: ' P295 ' };
    expect(readFilters(search, nowMs, 'utc')).toEqual({
      query: { q: 'P295', status: 'parked', memberId: 'm-1' },
      problems: [],
    });
  });

  it('may be written as people say them', () => {
    expect(filterTexts({ member: 'm-1', purchase: 'P295' })).toEqual({ memberId: 'm-1', purchaseId: 'P295' });
  });

  it('may ask for several statuses', () => {
    expect(readFilters({ status: 'parked,unknown' }, nowMs, 'utc').query).toEqual({ status: 'parked,unknown' });
    expect(readFilters({ status: 'parked,lost' }, nowMs, 'utc').query).toEqual({});
  });

  it('are changed under one name', () => {
    expect(filterChange('memberId', ' m-2 ')).toEqual({ memberId: 'm-2', member: null });
    expect(filterChange('store', ' ')).toEqual({ store: null });
  });

  it('that mean nothing are left out and said', () => {
    const { query, problems } = readFilters({ status: 'lost', from: 'soon', store: 'berlin' }, nowMs, 'utc');
    expect(query).toEqual({ store: 'berlin' });
    expect(problems).toHaveLength(2);
  });
});

it.each([
  ['15m', '2026-11-27T10:15:00.000Z'],
  ['2h', '2026-11-27T08:30:00.000Z'],
  ['7d', '2026-11-20T10:30:00.000Z'],
  ['today', '2026-11-27T00:00:00.000Z'],
  ['2026-11-26T08:00:00+01:00', '2026-11-26T07:00:00.000Z'],
  ['soon', null],
])('%s is %s', (text, moment) => {
  expect(momentOf(text, nowMs, 'utc')).toBe(moment);
});

it('says what a replay cannot take', () => {
  expect(replayObstacle({})).toContain('Choose first');
  expect(replayObstacle({ store: 'berlin' })).toBeNull();
  expect(replayObstacle({ status: 'parked' })).toBeNull();
  expect(replayObstacle({ status: 'parked,unknown' })).toBeNull();
  expect(replayObstacle({ status: 'pending,delivering' })).toContain('pending or delivering');
  expect(replayObstacle({ status: 'unknown' })).toContain('look at the partner');
  expect(replayObstacle({ status: 'parked', reason: 'unknown-outcome' })).toContain('look at the partner');
  expect(replayObstacle({ status: 'delivered' })).toContain('Only what is parked');
});
