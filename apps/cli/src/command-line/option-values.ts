import { InvalidArgumentError, Option } from 'commander';

import type { JobName, MemberName } from '../client/paths.js';

const msPerUnit: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};
const ago = /^(\d{1,6})([smhdw])$/;
const dateTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/i;

/** `2h` or a time of RFC 3339, as epoch ms. @throws {InvalidArgumentError} */
export function parseSince(text: string): number {
  const [, count, unit] = ago.exec(text) ?? [];
  if (count !== undefined && unit !== undefined) return Date.now() - Number(count) * (msPerUnit[unit] ?? 0);
  const at = dateTime.test(text) ? Date.parse(text) : NaN;
  if (!Number.isNaN(at)) return at;
  throw new InvalidArgumentError('Say how long ago, such as 30s, 15m, 2h, 7d or 1w, or a time with its offset.');
}

/** The same, as the API wants it. */
export function parseTime(text: string): string {
  return new Date(parseSince(text)).toISOString();
}

const clock = /^([01]\d|2[0-3]):([0-5]\d)$/;

/** The next such hour by this machine's clock, epoch ms; null: it says none. */
function nextHour(text: string): number | null {
  const [, hours, minutes] = clock.exec(text) ?? [];
  if (hours === undefined || minutes === undefined) return null;
  const at = new Date();
  at.setHours(Number(hours), Number(minutes), 0, 0);
  if (at.getTime() <= Date.now()) at.setDate(at.getDate() + 1);
  return at.getTime();
}

/** `06:00`, the next one by this machine's clock, `1h` from now, or a time of RFC 3339, as the API wants it. @throws {InvalidArgumentError} */
export function parseUntil(text: string): string {
  const [, count, unit] = ago.exec(text) ?? [];
  const later = count === undefined ? NaN : Date.now() + Number(count) * (msPerUnit[unit ?? ''] ?? NaN);
  const stated = dateTime.test(text) ? Date.parse(text) : later;
  const at = nextHour(text) ?? stated;
  if (!Number.isNaN(at)) return new Date(at).toISOString();
  throw new InvalidArgumentError(
    'Say when, such as 06:00, for how long, such as 30m, 1h or 2d, or a time with its offset.',
  );
}

/** How many at most. @throws {InvalidArgumentError} */
export function parseLimit(text: string): number {
  if (text === 'all') return Infinity;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Must be a whole number from 1 on, or `all`.');
}

const secondsMax = 86_400;

/** @throws {InvalidArgumentError} */
export function parseSeconds(text: string): number {
  const seconds = /^\d{1,5}(?:\.\d{1,3})?s?$/.test(text) ? Number.parseFloat(text) : 0;
  if (seconds >= 0.1 && seconds <= secondsMax) return seconds;
  throw new InvalidArgumentError(`Must be a number of seconds from 0.1 to ${secondsMax}.`);
}

const rateMax = 1_000;

/** `20/s`, `20` or `90/m`, per second. @throws {InvalidArgumentError} */
export function parseRate(text: string): number {
  const [, count, unit] = /^(\d{1,5}(?:\.\d{1,3})?)(?:\/([sm]))?$/.exec(text) ?? [];
  const perSecond = Number(count) / (unit === 'm' ? 60 : 1);
  if (perSecond > 0 && perSecond <= rateMax) return perSecond;
  throw new InvalidArgumentError(`Must be such as 20/s or 90/m, at most ${rateMax}/s.`);
}

const reasonLengthMin = 3;
const reasonLengthMax = 1_000;

/** Why an operator acts. @throws {InvalidArgumentError} */
export function parseReason(text: string): string {
  const { length } = text.trim();
  if (length >= reasonLengthMin && length <= reasonLengthMax) return text.trim();
  throw new InvalidArgumentError(`Say why, in ${reasonLengthMin} to ${reasonLengthMax} characters.`);
}

/** `PROGRAM/ID`; whatever comes after the first slash is the id's. @throws {InvalidArgumentError} */
export function parseMember(text: string): MemberName {
  const at = text.indexOf('/');
  const [program, memberId] = [text.slice(0, Math.max(0, at)), text.slice(at + 1)];
  if (program !== '' && memberId !== '') return { program, memberId };
  throw new InvalidArgumentError('Must be PROGRAM/ID, such as coffee-club/m_81273.');
}

/** Several of them. */
export function parseMembers(text: string, before: readonly MemberName[] = []): readonly MemberName[] {
  return [...before, parseMember(text)];
}

const idPattern = /^[\w.-]{1,64}$/;

/** An id for a job that the caller chooses. @throws {InvalidArgumentError} */
export function parseJobId(text: string): string {
  if (idPattern.test(text)) return text;
  throw new InvalidArgumentError('Must be 1 to 64 letters, digits, ".", "_" or "-".');
}

/** The id of a quarantined record. @throws {InvalidArgumentError} */
export function parseRecordId(text: string): number {
  if (/^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text))) return Number(text);
  throw new InvalidArgumentError('Must be the number that `loyaltyd get quarantine` shows.');
}

/** Several of them. */
export function parseRecordIds(text: string, before: readonly number[] = []): readonly number[] {
  return [...before, parseRecordId(text)];
}

/** `KIND/ID`. @throws {InvalidArgumentError} */
export function parseJobName(text: string): JobName {
  const [kind = '', id = '', ...more] = text.split('/');
  if (kind !== '' && id !== '' && more.length === 0) return { kind, id };
  throw new InvalidArgumentError('Must be KIND/ID, as `loyaltyd get jobs` shows it.');
}

const portMax = 65_535;

/** A TCP port of this machine. */
export function portOption(flags: string, description: string, standard: number): Option {
  return new Option(flags, description).default(standard).argParser((text) => wholeNumber(text, 0, portMax));
}

/** A whole number within bounds. @throws {InvalidArgumentError} which Commander reports with the option's name */
export function wholeNumber(text: string, min: number, max: number): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new InvalidArgumentError(`must be a whole number from ${min} to ${max}.`);
}
