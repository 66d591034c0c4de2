import { isSameNumber } from '#contracts';
import { type PassContent, type PassName, passNameOf, type PassReference, type WorkflowCommand } from '#intents/core';

import { isJsonObject } from './answer-body.js';
import type { ComparedField, Dialect } from '../dialect/dialect-schema.js';

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * The field, where the answer shows something else in it than was asked for. What was not asked for, or is not shown, says
 * nothing. Shown in a form that cannot be read, it is not what was asked.
 */
export function contradiction(
  field: ComparedField,
  { asked, shown }: { readonly asked: unknown; readonly shown: unknown },
  isSame: (asked: unknown, shown: unknown) => boolean,
): ComparedField | null {
  const isSaid = asked !== undefined && asked !== null && shown !== undefined && shown !== null;
  // What comes back as it was sent, which is the rule, costs no reading.
  const isAsSent = asked === shown || (typeof shown === 'number' && String(shown) === asked);
  return isSaid && !isAsSent && !isSame(asked, shown) ? field : null;
}

export function contradicts(fields: readonly (ComparedField | null)[], { success: { compare } }: Dialect): boolean {
  return fields.some((field) => field !== null && !compare.ignore.includes(field));
}

/**
 * Whether the pass that is answered is not as was asked for, or not the one that the partner has shown as the member's.
 * Points, messages and statuses change by themselves, and are not compared.
 * @param isOurs its metaData names the member: whatever it is called by now, it is theirs
 */
export function isOtherPass(
  answer: JsonObject,
  command: PassReference & { readonly operation: string; readonly content?: PassContent },
  { dialect, isOurs }: { readonly dialect: Dialect; readonly isOurs: boolean },
): boolean {
  const named = isOurs ? null : comparePassName(command.shown ?? {}, answer);
  const asked = comparesContent(command) ? compareContent(command.content, answer) : [];
  return contradicts([named, ...asked], dialect);
}

/** An enrolment by a workflow may find a pass; what that does not show follows as an update (docs/decisions/0098). */
function comparesContent(command: {
  readonly operation: string;
  readonly content?: PassContent;
}): command is Pick<WorkflowCommand, 'content'> & { readonly operation: string } {
  return command.content !== undefined && command.operation !== 'issue-via-workflow';
}

function compareContent({ tierId, templateId, passdata }: PassContent, answer: JsonObject): (ComparedField | null)[] {
  const shown = isJsonObject(answer['passdata']) ? answer['passdata'] : {};
  return [
    contradiction('templateTierId', { asked: tierId, shown: answer['templateTierId'] }, isSameId),
    contradiction('templateId', { asked: templateId, shown: answer['templateId'] }, isSameId),
    contradiction('optOut', { asked: passdata?.['optOut'], shown: shown['optOut'] }, isSameId),
  ];
}

/** A pass keeps its id; its serial number tells where either does not show one. */
function comparePassName(known: PassName, answer: JsonObject): ComparedField | null {
  const shown = passNameOf(answer);
  const part = known.passId !== undefined && shown.passId !== undefined ? 'passId' : 'serialNumber';
  return contradiction('pass', { asked: known[part], shown: shown[part] }, isSameId);
}

const textOf = (value: unknown): string =>
  ['string', 'number', 'boolean'].includes(typeof value) ? String(value).trim().toLowerCase() : JSON.stringify(value);

/** A number and its text are the same id, and so are two cases of a text. */
export function isSameId(asked: unknown, shown: unknown): boolean {
  const texts = [textOf(asked), textOf(shown)] as const;
  return texts[0] === texts[1] || (texts.every((text) => decimalText.test(text)) && isSameNumber(...texts));
}

/** Far more digits than any amount or id has. */
const decimalText = /^-?\d{1,100}(?:\.\d{1,100})?(?:e[+-]?\d{1,3})?$/i;

/** @returns null for what is no decimal number */
export function numberText(value: unknown): string | null {
  const text = textOf(value);
  return decimalText.test(text) ? text : null;
}

/** Decimals, never floats: 0.1 + 0.2 is 0.3. */
export function isWithin(left: string | null, right: string | null, tolerance: number): boolean {
  if (left === null || right === null) return false;
  if (isSameNumber(left, right)) return true;
  if (tolerance === 0) return false;
  const texts = [left, right, String(tolerance)];
  const [a, b, most] = texts.map((text) => scaled(text));
  if (a === undefined || b === undefined || most === undefined) return false;
  const difference = a > b ? a - b : b - a;
  return difference <= most;
}

/** Decimals of the common scale: an exponent has three digits at most, a text 200 in all. */
const scaleDigits = 1_200n;

function scaled(text: string): bigint {
  const [mantissa = '0', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  return BigInt(`${whole}${fraction}`) * 10n ** (scaleDigits + BigInt(exponent) - BigInt(fraction.length));
}

const isoTime =
  /^(\d{4})-?(\d\d)-?(\d\d)(?:[t ](\d\d):?(\d\d)(?::?(\d\d)(?:[.,](\d{1,9}))?)?\s?(z|[+-]\d\d(?::?\d\d)?)?)?$/i;

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Where a day begins first on earth, and ends last. */
const zones = { aheadMs: 14 * hourMs, behindMs: 12 * hourMs };

/**
 * Whether an answered time is the one that was sent, to the second, as far as it says: one without seconds tells the minute,
 * one without a time the day, in whatever zone. Without a zone it is UTC, as every form that the dialect sends.
 */
export function isSameTime(sent: string, shown: unknown, toleranceMs: number): boolean {
  const span = typeof shown === 'string' ? timeSpan(shown.trim()) : null;
  const sentAt = Date.parse(sent);
  return span !== null && sentAt > span.from - toleranceMs && sentAt < span.until + toleranceMs;
}

/** Epoch ms, neither end included; null for what is no ISO 8601 time. */
function timeSpan(text: string): { readonly from: number; readonly until: number } | null {
  const parts = isoTime.exec(text);
  if (parts === null) return null;
  const [year = NaN, month = NaN, day = NaN, ...clock] = parts.slice(1, 7).map(Number);
  const [hour = 0, minute = 0, second = 0] = clock.map((part) => (Number.isNaN(part) ? 0 : part));
  const [fraction = '', zone = 'z'] = parts.slice(7) as (string | undefined)[];
  const wholeAt = Date.UTC(year, month - 1, day, hour, minute, second);
  return spanFrom(wholeAt + Number(`0.${fraction}0`) * 1_000 - offsetMs(zone), parts);
}

/** How far a time may be from the one that is written: it may tell no second, or no more than the day. */
function spanFrom(at: number, parts: RegExpExecArray): { readonly from: number; readonly until: number } {
  if (parts[4] === undefined) return { from: at - zones.aheadMs, until: at + 24 * hourMs + zones.behindMs };
  return { from: at - 1_000, until: at + (parts[6] === undefined ? minuteMs : 1_000) };
}

function offsetMs(zone: string): number {
  if (zone.toLowerCase() === 'z') return 0;
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0');
  const size = Number(digits.slice(0, 2)) * hourMs + Number(digits.slice(2)) * minuteMs;
  return zone.startsWith('-') ? -size : size;
}
