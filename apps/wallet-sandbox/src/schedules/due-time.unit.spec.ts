import { chooseWording } from '../contract/wordings.js';
import { Refusal } from '../http/refusal.js';
import { dueTimeMs, isTimeZone, parseLocalTime, zonedTimeMs } from './due-time.js';

const wording = chooseWording(0);

it.each([
  [{ scheduledTimestamp: 0 }, 0],
  [{ scheduledTimestamp: 1_795_252_504_000 }, 1_795_252_504_000],
  [{ scheduledDateTime: '2026-11-21T10:15:04', timeZone: 'Europe/Berlin' }, Date.UTC(2026, 10, 21, 9, 15, 4)],
  [{ scheduledTimestamp: 5, scheduledDateTime: '2026-11-21T10:15:04', timeZone: 'UTC' }, 5],
  [{ scheduledTimestamp: 5, scheduledDateTime: {}, timeZone: [] }, 5],
  [{ scheduledTimestamp: 5, timeZone: 'Europe/Atlantis' }, 5],
])('%j is due at %d', (body, dueAt) => {
  expect(dueTimeMs(body, wording)).toBe(dueAt);
});

it.each([
  [{}, 'scheduledTimestamp, or scheduledDateTime with timeZone is required'],
  [{ scheduledDateTime: '2026-11-21T10:15:04' }, 'timeZone is required'],
  [{ timeZone: 'UTC' }, 'scheduledDateTime is required'],
  [{ scheduledDateTime: 'soon', timeZone: 'UTC' }, 'scheduledDateTime: must be yyyy-MM-ddTHH:mm:ss'],
  [{ scheduledDateTime: null, timeZone: null }, 'scheduledDateTime: must be yyyy-MM-ddTHH:mm:ss'],
  [{ scheduledDateTime: '2026-11-21T10:15:04', timeZone: '+01:00' }, 'timeZone: must be a name of the IANA'],
])('%j is refused', (body, message) => {
  expect(() => dueTimeMs(body, wording)).toThrow(Refusal);
  expect(() => dueTimeMs(body, wording)).toThrow(message);
});

const at = (local: string, timeZone: string): string =>
  new Date(zonedTimeMs(parseLocalTime(local)!, timeZone)).toISOString();

it.each([
  ['2026-11-21T09:15:04', 'UTC', '2026-11-21T09:15:04.000Z'],
  ['2026-11-21T09:15:04', 'Europe/Berlin', '2026-11-21T08:15:04.000Z'],
  ['2026-07-21T09:15:04', 'Europe/Berlin', '2026-07-21T07:15:04.000Z'],
  ['2026-11-21T09:15:04', 'America/St_Johns', '2026-11-21T12:45:04.000Z'],
  ['2026-11-21T09:15:04', 'Asia/Kathmandu', '2026-11-21T03:30:04.000Z'],
  ['2026-01-01T00:00:00', 'Pacific/Kiritimati', '2025-12-31T10:00:00.000Z'],
  ['2026-01-01T00:00:00', 'Pacific/Pago_Pago', '2026-01-01T11:00:00.000Z'],
  ['1880-01-01T12:00:00', 'Europe/Berlin', '1880-01-01T11:06:32.000Z'],
])('%s in %s is %s', (local, timeZone, instant) => {
  expect(at(local, timeZone)).toBe(instant);
});

it.each([
  // just before the gap
  ['2026-03-29T01:59:59', 'Europe/Berlin', '2026-03-29T00:59:59.000Z'],
  // at its beginning
  ['2026-03-29T02:00:00', 'Europe/Berlin', '2026-03-29T01:00:00.000Z'],
  // in the gap
  ['2026-03-29T02:30:00', 'Europe/Berlin', '2026-03-29T01:30:00.000Z'],
  // after it
  ['2026-03-29T03:00:00', 'Europe/Berlin', '2026-03-29T01:00:00.000Z'],
  // in a gap of half an hour
  ['2026-10-04T02:15:00', 'Australia/Lord_Howe', '2026-10-03T15:45:00.000Z'],
  // on a day that was skipped
  ['2011-12-30T12:00:00', 'Pacific/Apia', '2011-12-30T22:00:00.000Z'],
])('clocks put forward: %s in %s is %s', (local, timeZone, instant) => {
  expect(at(local, timeZone)).toBe(instant);
});

it.each([
  // before the overlap
  ['2026-10-25T01:59:59', 'Europe/Berlin', '2026-10-24T23:59:59.000Z'],
  // the earlier of two
  ['2026-10-25T02:30:00', 'Europe/Berlin', '2026-10-25T00:30:00.000Z'],
  // after the overlap
  ['2026-10-25T03:00:00', 'Europe/Berlin', '2026-10-25T02:00:00.000Z'],
  // west of Greenwich
  ['2026-11-01T01:30:00', 'America/New_York', '2026-11-01T05:30:00.000Z'],
  // after it
  ['2026-11-01T02:00:00', 'America/New_York', '2026-11-01T07:00:00.000Z'],
])('clocks put back: %s in %s is %s', (local, timeZone, instant) => {
  expect(at(local, timeZone)).toBe(instant);
});

it.each([
  '',
  '2026-11-21',
  '2026-11-21T09:15',
  '2026-11-21T09:15:04Z',
  '2026-11-21T09:15:04.000',
  '2026-11-21 09:15:04',
  '2026-02-29T00:00:00',
  '2026-11-31T00:00:00',
  '2026-11-21T24:00:00',
  '2026-11-21T09:60:00',
])('%j is no local time', (text) => {
  expect(parseLocalTime(text)).toBeNull();
});

it.each([
  ['Europe/Berlin', true],
  ['UTC', true],
  ['America/Argentina/Buenos_Aires', true],
  ['Asia/Calcutta', true],
  ['Europe/Atlantis', false],
  ['+01:00', false],
  ['', false],
  ['GMT+25', false],
  ['../../etc/passwd', false],
])('%j is a time zone: %s', (name, expected) => {
  expect(isTimeZone(name)).toBe(expected);
});
