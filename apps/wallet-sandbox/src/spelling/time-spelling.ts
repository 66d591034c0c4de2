import { parseLocalTime } from '../schedules/due-time.js';
import { isJsonObject, mapProperty, unknownValue } from './renaming.js';
import type { SpellingChoice } from './spelling-schema.js';

type Forms = Readonly<Record<string, RegExp>>;

const localForms: Forms = {
  iso: /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)$/,
  'iso-milliseconds': /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)\.000$/,
  space: /^(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)$/,
  compact: /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)$/,
};

/** Body of 4.4: its pair of date-time and time zone as this sandbox takes them in. What has another form is unknown. */
export function readScheduleTime(
  body: unknown,
  { scheduleDateTime: form, scheduleZone: zone }: Pick<SpellingChoice, 'scheduleDateTime' | 'scheduleZone'>,
): unknown {
  const read = mapProperty(body, 'scheduledDateTime', (value) => readLocalTime(value, form));
  return zone === 'name' ? read : inUtc(read);
}

function readLocalTime(value: unknown, form: SpellingChoice['scheduleDateTime']): unknown {
  const pattern = localForms[form];
  if (form === 'iso' || typeof value !== 'string' || pattern === undefined) return value;
  return pattern.test(value) ? value.replace(pattern, '$1-$2-$3T$4:$5:$6') : unknownValue;
}

const offsetForm = /^([+-])(0\d|1[0-4]):([0-5]\d)$/;

/** A local time with its offset, as the same moment in UTC. */
function inUtc(body: unknown): unknown {
  if (!isJsonObject(body) || typeof body['timeZone'] !== 'string') return body;
  const [, sign, hours, minutes] = offsetForm.exec(body['timeZone']) ?? [];
  const local = body['scheduledDateTime'];
  const localMs = typeof local === 'string' ? parseLocalTime(local) : null;
  if (sign === undefined || localMs === null) return { ...body, timeZone: unknownValue };
  const sizeMs = (Number(hours) * 60 + Number(minutes)) * 60_000;
  const utc = new Date(localMs - (sign === '-' ? -sizeMs : sizeMs)).toISOString().slice(0, 19);
  return { ...body, scheduledDateTime: utc, timeZone: 'UTC' };
}

const dateForms: Forms = {
  iso: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  'iso-seconds': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
  'iso-offset': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?[+-]\d\d:\d\d$/,
  'iso-local': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?$/,
  compact: /^\d{8}T\d{6}Z$/,
};

/** Body of 4.7: a date in another form than the chosen one is unknown. */
export function readTransactionDate(body: unknown, form: SpellingChoice['transactionDate']): unknown {
  if (form === 'any') return body;
  return mapProperty(body, 'transactionDate', (date) =>
    typeof date === 'string' && dateForms[form]?.test(date) === true ? date : unknownValue,
  );
}
