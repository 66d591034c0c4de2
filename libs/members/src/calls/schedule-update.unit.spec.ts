import type { ScheduleUpdateCommand } from '#intents/core';
import type { ScheduledUpdate } from '#gateway/core';
import { InvalidRequest, parseDialect } from '#gateway/core';
import { planSchedule } from './schedule-update.js';

const nowMs = Date.parse('2026-11-21T09:00:00Z');
const dialect = parseDialect('test', { schedule: { changeProperty: 'update' } });
const program = { brandId: '101', programId: '2001' };
const update: ScheduledUpdate = {
  ...program,
  scheduledName: 'spring',
  content: { passdata: { points: 5 } },
  at: { timestampMs: 1_795_252_504_000 },
  filters: { uniqueId: 'm_1' },
};

const bodyOf = (input: ScheduledUpdate, spoken = dialect): unknown =>
  JSON.parse(planSchedule(input, spoken, nowMs).body ?? '');

function problemsOf(input: object, spoken = dialect): readonly string[] {
  try {
    planSchedule(input as ScheduledUpdate, spoken, nowMs);
    return [];
  } catch (error) {
    return error instanceof InvalidRequest ? error.texts : ['another error'];
  }
}

describe('schedule (4.4)', () => {
  it('an intent: one pass by its unique_id, as soon as possible', () => {
    const command: ScheduleUpdateCommand = {
      ...program,
      operation: 'schedule-update',
      uniqueId: 'm_1',
      uniqueIdKey: 'memberId',
      scheduledName: 'loyaltyd /pos e1',
      content: { tierId: 2, smsSubscription: 900, message: null },
    };
    expect(planSchedule(command, dialect, nowMs)).toMatchObject({
      method: 'PATCH',
      path: '/101/programs/2001/wallets/schedule',
    });
    expect(bodyOf(command)).toEqual({
      scheduledName: 'loyaltyd /pos e1',
      scheduledTimestamp: nowMs + dialect.schedule.leadMs,
      filters: { unique_id: 'm_1' },
      update: { templateTierId: 2, smsSubscription: 900, currentMessage: null },
    });
  });

  it.each([
    ['filters', '', { unique_id: 'm/1' }],
    ['query', '?unique_id=m%2F1', undefined],
    ['both', '?unique_id=m%2F1', { unique_id: 'm/1' }],
  ])('the one pass goes into the %s', (selectBy, query, filters) => {
    const spoken = parseDialect('test', { schedule: { changeProperty: 'update', selectBy } });
    const { filters: _none, ...rest } = { ...update, uniqueId: 'm/1' };
    expect(planSchedule(rest, spoken, nowMs).path).toBe(`/101/programs/2001/wallets/schedule${query}`);
    expect((bodyOf(rest, spoken) as { filters?: unknown }).filters).toEqual(filters);
  });

  it('a date-time with its time zone', () => {
    const at = { dateTime: '2026-12-01T09:00:00', timeZone: 'Europe/Berlin' };
    expect(bodyOf({ ...update, at })).toEqual({
      scheduledName: 'spring',
      scheduledDateTime: '2026-12-01T09:00:00',
      timeZone: 'Europe/Berlin',
      filters: { unique_id: 'm_1' },
      update: { passdata: { points: 5 } },
    });
  });

  it('every filter and every query parameter, in the words of the dialect, ids exact', () => {
    const query = { personId: 'p 1', email: 'a+b@x.org', uniqueId: 'm_1' };
    const filters = {
      ...query,
      serialNumber: 's',
      groupId: 'g',
      templateId: '9007199254740993',
      templateTierId: 2,
      statusCode: 'ACTIVE',
    };
    const named = planSchedule({ ...update, query, filters }, dialect, nowMs);
    expect(named.path).toContain('schedule?person_id=p%201&email=a%2Bb%40x.org&unique_id=m_1');
    expect(named.body).toContain(
      '"filters":{"unique_id":"m_1","person_id":"p 1","email":"a+b@x.org","serialNumber":"s","groupId":"g",' +
        '"templateId":9007199254740993,"templateTierId":2,"statusCode":"ACTIVE"}',
    );
    const spoken = parseDialect('test', {
      schedule: {
        changeProperty: 'set',
        names: { dateTime: 'when', timeZone: 'zone' },
        filterNames: { personId: 'person', templateId: 'template', statusCode: 'state' },
      },
    });
    const at = { dateTime: '2026-12-01T09:00:00', timeZone: 'UTC' };
    expect(bodyOf({ ...update, at, filters: { personId: 'p', templateId: 1, statusCode: 200 } }, spoken)).toEqual({
      scheduledName: 'spring',
      when: '2026-12-01T09:00:00',
      zone: 'UTC',
      filters: { person: 'p', template: 1, state: 200 },
      set: { passdata: { points: 5 } },
    });
  });

  it.each([
    [{}],
    [{ filters: {} }],
    [{ filters: { uniqueId: undefined } }],
    [{ query: {} }],
    [{ filters: {}, query: {} }],
  ])('is refused when it selects nothing: it could hit a whole program (%j)', (selection) => {
    const { filters: _none, ...rest } = update;
    expect(problemsOf({ ...rest, ...selection })).toEqual(['filters: the update must select passes']);
  });

  it.each([
    [{ filters: { uniqueId: '' } }, 'filters.uniqueId'],
    [{ filters: { memberId: 'm_1' } }, 'filters'],
    [{ filters: { templateId: '0x1' } }, 'filters.templateId'],
    [{ query: { serialNumber: 's' } }, 'query'],
    [{ uniqueId: '' }, 'uniqueId'],
    [{ uniqueId: 'm_2' }, 'uniqueId'],
    [{ scheduledName: '' }, 'scheduledName'],
    [{ at: { timestampMs: 1.5 } }, 'at'],
    [{ at: { timestampMs: -1 } }, 'at'],
    [{ at: { dateTime: '2026-12-01T09:00:00' } }, 'at'],
    [{ at: { dateTime: '2026-12-01T09:00:00Z', timeZone: 'UTC' } }, 'at'],
    [{ at: { dateTime: '2026-12-01 09:00', timeZone: 'UTC' } }, 'at'],
    [{ at: { dateTime: '2026-12-01T09:00:00', timeZone: 'UTC', timestampMs: 1 } }, 'at'],
    [{ content: {} }, 'content'],
    [{ content: { smsSubscription: 400 } }, 'content.smsSubscription'],
    [{ brandId: '..' }, 'brandId'],
  ])('refuses %j', (change, path) => {
    expect(problemsOf({ ...update, ...change })[0]).toMatch(new RegExp(`^${path}[:.]`));
  });

  it('is the documented body as it is where no change is named, in every dialect', () => {
    const { content: _none, ...plain } = update;
    const documented = {
      scheduledName: 'spring',
      scheduledTimestamp: 1_795_252_504_000,
      filters: { unique_id: 'm_1' },
    };
    expect(bodyOf(plain, parseDialect('test'))).toEqual(documented);
    expect(bodyOf(plain)).toEqual(documented);
  });

  it('puts the change beside the documented properties where the dialect says so', () => {
    const topLevel = parseDialect('test', { schedule: { changeAt: 'top-level' } });
    expect(bodyOf({ ...update, content: { passdata: { points: 5 }, tierId: 2 } }, topLevel)).toEqual({
      scheduledName: 'spring',
      scheduledTimestamp: 1_795_252_504_000,
      filters: { unique_id: 'm_1' },
      passdata: { points: 5 },
      templateTierId: 2,
    });
    const clash = parseDialect('test', {
      schedule: { changeAt: 'top-level' },
      issue: { names: { groupId: 'filters' } },
    });
    expect(problemsOf({ ...update, content: { groupId: 'g' } }, clash)).toEqual([
      'content: filters is a property of the schedule itself',
    ]);
  });

  it.each([
    ['iso', '2026-12-01T09:00:00'],
    ['iso-milliseconds', '2026-12-01T09:00:00.000'],
    ['space', '2026-12-01 09:00:00'],
    ['compact', '20261201T090000'],
  ])('writes the date-time as %s: %s', (dateTimeFormat, written) => {
    const spoken = parseDialect('test', { schedule: { dateTimeFormat, changeProperty: 'update' } });
    const at = { dateTime: '2026-12-01T09:00:00', timeZone: 'Europe/Berlin' };
    expect(bodyOf({ ...update, at }, spoken)).toMatchObject({ scheduledDateTime: written, timeZone: 'Europe/Berlin' });
  });

  it.each([
    ['2026-12-01T09:00:00', 'Europe/Berlin', '+01:00'],
    ['2027-07-01T09:00:00', 'Europe/Berlin', '+02:00'],
    ['2027-07-01T09:00:00', 'America/St_Johns', '-02:30'],
    ['2027-07-01T09:00:00', 'UTC', '+00:00'],
    // The last moments before a change of the clocks, and the first after.
    ['2027-03-28T01:59:59', 'Europe/Berlin', '+01:00'],
    ['2027-03-28T03:00:00', 'Europe/Berlin', '+02:00'],
    ['2027-10-31T01:59:59', 'Europe/Berlin', '+02:00'],
    ['2027-10-31T03:00:00', 'Europe/Berlin', '+01:00'],
    ['2027-07-01T09:00:00', 'Asia/Calcutta', '+05:30'],
    ['2027-07-01T09:00:00', 'Etc/GMT+3', '-03:00'],
  ])('writes the zone of %s in %s as its offset: %s', (dateTime, timeZone, offset) => {
    const spoken = parseDialect('test', { schedule: { timeZoneAs: 'offset', changeProperty: 'update' } });
    expect(bodyOf({ ...update, at: { dateTime, timeZone } }, spoken)).toMatchObject({ timeZone: offset });
  });

  const never = /^at: the clocks of that time zone never show this time/;
  const twice =
    /^at: the clocks of that time zone show this time twice: give \S+[+-]\d\d:\d\d or \S+[+-]\d\d:\d\d instead$/;
  const noZone = /^at: timeZone is no name of the IANA time zone database/;
  const past = /^at: lies in the past: \S+Z$/;

  it.each([
    // Of the same instant both forms are judged alike.
    [{ timestampMs: nowMs }, past],
    [{ timestampMs: nowMs - 1_000 }, past],
    // Seconds in the place of milliseconds.
    [{ timestampMs: 1_795_252_504 }, past],
    [{ dateTime: '2026-11-21T09:00:00', timeZone: 'UTC' }, past],
    [{ dateTime: '2026-11-21T09:59:59', timeZone: 'Europe/Berlin' }, past],
    [{ dateTime: '2026-11-21T22:59:59', timeZone: 'Pacific/Kiritimati' }, past],
    [{ dateTime: '2027-03-28T02:00:00', timeZone: 'Europe/Berlin' }, never],
    [{ dateTime: '2027-03-28T02:30:00', timeZone: 'Europe/Berlin' }, never],
    [{ dateTime: '2027-10-03T02:15:00', timeZone: 'Australia/Lord_Howe' }, never],
    [{ dateTime: '2027-10-31T02:30:00', timeZone: 'Europe/Berlin' }, twice],
    [{ dateTime: '2027-11-07T01:30:00', timeZone: 'America/New_York' }, twice],
    [{ dateTime: '2027-04-04T01:45:00', timeZone: 'Australia/Lord_Howe' }, twice],
    [{ dateTime: '2027-01-01T09:00:00', timeZone: 'Europe/Berlinn' }, noZone],
    [{ dateTime: '2027-01-01T09:00:00', timeZone: 'europe/berlin' }, noZone],
    [{ dateTime: '2027-01-01T09:00:00', timeZone: 'EUROPE/BERLIN' }, noZone],
    [{ dateTime: '2027-01-01T09:00:00', timeZone: '+01:00' }, noZone],
    [{ dateTime: '2027-01-01T09:00:00', timeZone: 'Europe/Berlin ' }, noZone],
    [{ dateTime: '2027-02-30T09:00:00', timeZone: 'UTC' }, /^at/],
    [{ timestampMs: Number.MAX_SAFE_INTEGER }, /^at: lies after 9999-12-31T23:59:59.000Z$/],
  ])('regression: is not sent where its time is %j', (at, problem) => {
    for (const timeZoneAs of ['name', 'offset']) {
      const spoken = parseDialect('test', { schedule: { timeZoneAs, changeProperty: 'update' } });
      expect(problemsOf({ ...update, at }, spoken)).toEqual([expect.stringMatching(problem)]);
    }
  });

  it('is sent a moment before its time, in both forms', () => {
    expect(bodyOf({ ...update, at: { timestampMs: nowMs + 1 } })).toMatchObject({ scheduledTimestamp: nowMs + 1 });
    const at = { dateTime: '2026-11-21T10:00:01', timeZone: 'Europe/Berlin' };
    expect(bodyOf({ ...update, at })).toMatchObject({ scheduledDateTime: at.dateTime });
  });

  it('is refused while the dialect does not say where a change goes', () => {
    expect(problemsOf(update, parseDialect('test'))).toEqual(['content: the dialect does not say where a change goes']);
  });
});
