import { chooseWording } from '../contract/wordings.js';
import { Refusal } from '../http/refusal.js';
import { dueTimeMs } from './due-time.js';

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
