import type { MoneyView, RequestPreviewView } from '#contracts';
import { apiDepthMax, readJsonText } from '#contracts/json';

/**
 * What a terminal acts upon instead of showing it: control characters of both sets, and those that turn the direction
 * of writing. Data of the server may hold any of them.
 */
const acted = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;
const spelled: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** A text in one line, with escapes for what a terminal would act upon. */
export function safeLine(text: string): string {
  return text.replace(acted, (character) => spelled[character] ?? escaped(character));
}

/** The same of a text that has lines of its own. */
export const safeLines = (text: string): string => text.split('\n').map(safeLine).join('\n');

/** JSON, with escapes for the same, so that it is still the same JSON. */
export function safeJson(value: unknown, indent = 0): string {
  // Line breaks are its own; those within strings have been escaped already.
  return JSON.stringify(value, null, indent).replace(acted, (character) =>
    character === '\n' ? character : escaped(character),
  );
}

/** Such as `12 delivered, 3 parked`; nothing where there is none. */
export function countsText(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([what, count]) => `${count} ${what}`)
    .join(', ');
}

/** How many there are of several kinds together. */
export function countOf(counts: Readonly<Record<string, number>>, kinds: readonly string[]): number {
  return kinds.reduce((sum, kind) => sum + (counts[kind] ?? 0), 0);
}

const minute = 60;
const hour = 3_600;
const day = 86_400;

/** With the next smaller unit where there is some of it, such as `2h10m`. */
function twoUnits(
  seconds: number,
  [unit, size]: readonly [string, number],
  [nextUnit, nextSize]: readonly [string, number],
): string {
  const rest = Math.floor((seconds % size) / nextSize);
  return `${Math.floor(seconds / size)}${unit}${rest === 0 ? '' : `${rest}${nextUnit}`}`;
}

function durationText(seconds: number): string {
  if (seconds < minute) return `${seconds}s`;
  if (seconds < hour) return `${Math.floor(seconds / minute)}m`;
  if (seconds < day) return twoUnits(seconds, ['h', hour], ['m', minute]);
  return twoUnits(seconds, ['d', day], ['h', hour]);
}

/** How long ago something was, such as `5m`; what is no time stays as it is. */
export function ageText(at: string | null, nowMs: number = Date.now()): string | null {
  const atMs = at === null ? NaN : Date.parse(at);
  return Number.isNaN(atMs) ? at : durationText(Math.max(0, Math.round((nowMs - atMs) / 1_000)));
}

/** A time, and how long ago that was. */
export function timeText(at: string | null): string | null {
  if (at === null) return null;
  const isPast = Date.parse(at) <= Date.now();
  return isPast ? `${at} (${ageText(at) ?? ''} ago)` : at;
}

/** Such as `EUR 1,012.50`, as the console writes it. Exact: minor units are whole numbers, and no division is made. */
export function moneyText({ minor, currency, digits }: MoneyView): string {
  const text = BigInt(Math.abs(minor))
    .toString()
    .padStart(digits + 1, '0');
  const point = text.length - digits;
  const whole = text.slice(0, point).replace(/\B(?=(?:\d{3})+$)/g, ',');
  return `${minor < 0 ? '-' : ''}${currency} ${whole}${digits === 0 ? '' : `.${text.slice(point)}`}`;
}

/** Several amounts, each in its currency. */
export function moneysText(moneys: readonly MoneyView[]): string {
  return moneys.map(moneyText).join(', ');
}

/** A line of a description: what it is, and its value. Null is left out. */
export type Field = readonly [label: string, value: string | number | null];

/** Lines with the values below each other. Values become safe text. */
export function fields(rows: readonly Field[]): string {
  const shown = rows.filter(([, value]) => value !== null && value !== '');
  const width = Math.max(...shown.map(([label]) => label.length)) + 1;
  return shown.map(([label, value]) => `${`${label}:`.padEnd(width)} ${safeLine(String(value))}\n`).join('');
}

/** Text below a title, moved in; nothing where there is no text. It must be safe already. */
export function section(title: string, text: string): string {
  if (text === '') return '';
  const lines = text.trimEnd().split('\n');
  return `${title}:\n${lines.map((line) => `  ${line}\n`).join('')}`;
}

/** What was sent or came in, as safe text: JSON with its structure, anything else line by line. */
export function payloadText(value: unknown): string {
  if (value === null || value === undefined) return '';
  const content = typeof value === 'string' ? (readJsonText(value, { depthMax: apiDepthMax }) ?? value) : value;
  if (typeof content !== 'string') return safeJson(content, 2);
  return content.split('\n').map(safeLine).join('\n');
}

/** The very request, as safe text; nothing where nothing is left to send. */
export function requestText(request: RequestPreviewView | null): string {
  if (request === null) return '';
  const { method, path, body, problems } = request;
  const lines = [
    safeLine(`${method} ${path}`),
    payloadText(body),
    ...problems.map((problem) => safeLine(`! ${problem}`)),
  ];
  return section('Would be sent now', lines.filter((line) => line !== '').join('\n'));
}
