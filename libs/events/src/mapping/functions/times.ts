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

const minutesKnownMax = 1_024;

/** How far a time zone is ahead of UTC. Records of one shop tell of the same minutes; to format one costs as much as the rest of a map. */
class Zone {
  private readonly formatter: Intl.DateTimeFormat;
  private readonly known = new Map<number, number>();

  /** @throws RangeError where there is no such zone */
  constructor(name: string) {
    this.formatter = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      timeZoneName: 'longOffset',
      year: 'numeric',
    });
  }

  /** Minutes, then. Since 1970 no zone has changed within a minute. */
  minutesAhead(timeMs: number): number {
    const minute = Math.floor(timeMs / msPerMinute);
    const known = this.known.get(minute);
    if (known !== undefined) return known;
    if (this.known.size >= minutesKnownMax) this.known.clear();
    const ahead = this.formatted(timeMs);
    this.known.set(minute, ahead);
    return ahead;
  }

  private formatted(timeMs: number): number {
    const name = this.formatter.formatToParts(timeMs).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign = '+', hours = '0', minutes = '0'] = /GMT([+-])(\d\d):(\d\d)/.exec(name) ?? [];
    return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  }
}

/** Making one costs more than using it; zones are those that maps and records name. */
const zones = new Map<string, Zone | null>();
const zonesMax = 100;

function zoneOf(name: string): Zone | null {
  const known = zones.get(name);
  if (known !== undefined) return known;
  if (zones.size >= zonesMax) zones.clear();
  const made = newZone(name);
  zones.set(name, made);
  return made;
}

function newZone(name: string): Zone | null {
  try {
    return new Zone(name);
  } catch {
    return null;
  }
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
function offsetOfLocal(zone: Zone, asUtcMs: number): number {
  const before = zone.minutesAhead(asUtcMs - msPerDay);
  const after = zone.minutesAhead(asUtcMs + msPerDay);
  const holds = (minutes: number): boolean => zone.minutesAhead(asUtcMs - minutes * msPerMinute) === minutes;
  if (holds(before)) return before;
  return holds(after) ? after : before;
}

function zoned(name: Value): Zone {
  const zone = zoneOf(textOf('time', name));
  if (zone === null) throw new MapRefusal(`$time: ${zoneRule}`);
  return zone;
}

function checked(text: string): string {
  if (parseRfc3339(text) === null) throw new MapRefusal('$time: there is no such day or time');
  return text;
}

function ofEpoch(text: string, zoneName: Value): string {
  const number = Number(text);
  if (number >= microsecondsMax) {
    throw new MapRefusal('$time: the number is no epoch of seconds, milliseconds or microseconds');
  }
  const timeMs = Math.floor(epochMs(text, number));
  const zone = isMissing(zoneName) ? null : zoned(zoneName);
  const minutes = zone?.minutesAhead(timeMs) ?? 0;
  const wall = new Date(timeMs + minutes * msPerMinute).toISOString().slice(0, -1);
  return zone === null ? `${wall}Z` : `${wall}${offsetText(minutes)}`;
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
  judge: ([, zone]) => (zone === undefined || zoneOf(zone) !== null ? null : zoneRule),
  run([value, zone], run) {
    if (isMissing(value)) return undefined;
    run.charge(50);
    return timeOf(value, zone);
  },
};

export const times: readonly Native[] = [time];
