import { parseRfc3339 } from '#contracts';

import { MapRefusal } from '../map-error.js';
import type { Native } from '../native.js';
import type { Value } from '../values.js';
import { isMissing, textOf } from './arguments.js';

const msPerMinute = 60_000;
const msPerDay = 86_400_000;
/** Below it an epoch counts seconds (to the year 5138), below the next milliseconds, below the last microseconds. */
const secondsMax = 1e11;
const millisecondsMax = 1e14;
const microsecondsMax = 1e17;

const local = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d)(:\d\d)?([.,]\d{1,9})?\d*(?: ?([Zz]|[+-]\d\d(?::?\d\d)?))?$/;
const epoch = /^\d{9,20}(?:\.\d+)?$/;
const zoneRule = 'what is given as zone is no time zone such as Europe/Berlin';

/** Making one costs more than using it; zones are those that maps and records name. */
const formatters = new Map<string, Intl.DateTimeFormat | null>();
const formattersMax = 1_000;

function formatterOf(zone: string): Intl.DateTimeFormat | null {
  const known = formatters.get(zone);
  if (known !== undefined) return known;
  if (formatters.size >= formattersMax) formatters.clear();
  const made = newFormatter(zone);
  formatters.set(zone, made);
  return made;
}

function newFormatter(zone: string): Intl.DateTimeFormat | null {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset', year: 'numeric' });
  } catch {
    return null;
  }
}

/** Minutes that a zone is ahead of UTC then. */
function minutesAhead(formatter: Intl.DateTimeFormat, timeMs: number): number {
  const name = formatter.formatToParts(timeMs).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign = '+', hours = '0', minutes = '0'] = /GMT([+-])(\d\d):(\d\d)/.exec(name) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

function offsetText(minutes: number): string {
  const ahead = Math.abs(minutes);
  const two = (part: number): string => String(part).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(ahead / 60))}:${two(ahead % 60)}`;
}

/**
 * The offset of a clock on the wall. An hour that comes twice is the first one; one that the clock skips is told with the
 * offset from before, which is what a till showed that missed the change. Both as RFC 5545 has it, section 3.3.5.
 */
function offsetOfLocal(formatter: Intl.DateTimeFormat, asUtcMs: number): number {
  const before = minutesAhead(formatter, asUtcMs - msPerDay);
  const after = minutesAhead(formatter, asUtcMs + msPerDay);
  const holds = (minutes: number): boolean => minutesAhead(formatter, asUtcMs - minutes * msPerMinute) === minutes;
  if (holds(before)) return before;
  return holds(after) ? after : before;
}

function zoned(zone: Value): Intl.DateTimeFormat {
  const formatter = formatterOf(textOf('time', zone));
  if (formatter === null) throw new MapRefusal(`$time: ${zoneRule}`);
  return formatter;
}

function checked(text: string): string {
  if (parseRfc3339(text) === null) throw new MapRefusal('$time: there is no such day or time');
  return text;
}

function ofEpoch(text: string, zone: Value): string {
  const number = Number(text);
  if (number >= microsecondsMax) {
    throw new MapRefusal('$time: the number is no epoch of seconds, milliseconds or microseconds');
  }
  const timeMs = Math.floor(epochMs(text, number));
  const formatter = isMissing(zone) ? null : zoned(zone);
  const minutes = formatter === null ? 0 : minutesAhead(formatter, timeMs);
  const wall = new Date(timeMs + minutes * msPerMinute).toISOString().slice(0, -1);
  return formatter === null ? `${wall}Z` : `${wall}${offsetText(minutes)}`;
}

function epochMs(text: string, number: number): number {
  if (number >= millisecondsMax) return number / 1_000;
  if (number >= secondsMax) return number;
  const [seconds = '0', fraction = ''] = text.split('.');
  return Number(seconds) * 1_000 + Number(fraction.padEnd(3, '0').slice(0, 3));
}

function ofClock(
  [, day = '', minute = '', second = ':00', fraction = '', offset]: readonly string[],
  zone: Value,
): string {
  const wall = `${day}T${minute}${second}${fraction.replace(',', '.')}`;
  if (offset !== undefined) return checked(wall + offsetAsRfc3339(offset));
  if (isMissing(zone)) {
    throw new MapRefusal('$time: the time has no offset: name its zone, as in $time(t, "Europe/Berlin")');
  }
  const asUtcMs = parseRfc3339(checked(`${wall}Z`)) ?? 0;
  return wall + offsetText(offsetOfLocal(zoned(zone), asUtcMs));
}

/** `z`, `+01`, `+0100`. */
function offsetAsRfc3339(offset: string): string {
  if (/^z$/i.test(offset)) return 'Z';
  return `${offset.slice(0, 3)}:${offset.slice(3).replace(':', '') || '00'}`;
}

function timeOf(value: Value, zone: Value): string {
  const text = typeof value === 'number' ? String(value) : textOf('time', value);
  if (epoch.test(text)) return ofEpoch(text, zone);
  const found = local.exec(text);
  if (found === null) throw new MapRefusal('$time takes a date with a time, or an epoch in s, ms or us');
  return ofClock(found, zone);
}

const time: Native = {
  ...{ name: 'time', takes: [1, 2], isMethod: false, kind: 'other' },
  judge: ([, zone]) => (zone === undefined || formatterOf(zone) !== null ? null : zoneRule),
  run([value, zone], run) {
    if (isMissing(value)) return undefined;
    run.charge(50);
    return timeOf(value, zone);
  },
};

export const times: readonly Native[] = [time];
