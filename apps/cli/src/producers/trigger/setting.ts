import { jsonDepthMax, readJsonText } from '#contracts';

/** What a `--set` cannot do, in words that name its path. */
export class SettingError extends Error {
  override readonly name = 'SettingError';
}

/** Where a setting goes, from the event down. */
type SettingPath = readonly string[];

/** What begins a path at the event; every other begins at `data`. */
const frame = new Set([
  'specversion',
  'id',
  'source',
  'type',
  'subject',
  'time',
  'sequence',
  'traceparent',
  'datacontenttype',
  'dataschema',
  'data',
]);

/** Keys that lead to what all objects share. */
const shared = new Set(['__proto__', 'constructor', 'prototype']);

const segment = /^([^[\]]*)((?:\[\d{1,9}\])*)$/;

/**
 * `total.minor`, `lines.0.sku`, `lines[0].sku`, and what lint and the daemon write, `data.total.minor`. A path that
 * begins with an attribute of the frame or with `data` begins at the event, any other at its data.
 * @throws {SettingError}
 */
function readSettingPath(text: string): SettingPath {
  const path = text.split('.').flatMap((part) => segmentsOf(part, text));
  const whole = frame.has(path[0] ?? '') ? path : ['data', ...path];
  if (whole.some((name) => shared.has(name))) throw new SettingError(`${text}: no such path may be set`);
  if (whole.length > jsonDepthMax) throw new SettingError(`${text}: more than ${jsonDepthMax} levels deep`);
  return whole;
}

function segmentsOf(part: string, whole: string): readonly string[] {
  const [, name = '', indices = ''] = segment.exec(part) ?? [];
  if (name === '') throw new SettingError(`${whole}: not a path such as total.minor or lines[0].sku`);
  return [name, ...[...indices.matchAll(/\d+/g)].map(([index]) => index)];
}

/** `['lines', '0', 'sku']` as `lines.0.sku`. */
function settingPathText(path: SettingPath): string {
  return path.join('.');
}

/** One `--set path=value`. */
export interface Setting {
  readonly path: SettingPath;
  /** As written; may hold `{n}`. */
  readonly text: string;
}

/** What the number of an event is written for in values, members and programs. */
const numberMark = '{n}';

/** @throws {SettingError} */
export function readSetting(words: string): Setting {
  const at = words.indexOf('=');
  if (at === -1) throw new SettingError(`${words}: must be path=value`);
  return { path: readSettingPath(words.slice(0, at)), text: words.slice(at + 1) };
}

/** With the event's own number, from 1, in place of `{n}`. */
export function numbered(text: string, number: number): string {
  return text.replaceAll(numberMark, String(number));
}

/** JSON where it parses, else the text itself. A value that is a number but must be text goes in quotes: `"42"`. */
export function settingValue({ text }: Setting, number: number): unknown {
  const written = numbered(text, number);
  const json = readJsonText(written);
  return json === undefined ? written : json;
}

type Holder = Record<string, unknown> | unknown[];

interface AppliedSetting {
  readonly path: SettingPath;
  readonly value: unknown;
}

/**
 * Sets a value in an event, in place; what is missing on the way is made, a list where a number follows. A list grows by
 * one member at most.
 * @throws {SettingError} when something on the way is neither an object nor a list
 */
export function applySetting(event: Record<string, unknown>, { path, value }: AppliedSetting): void {
  let holder: Holder = event;
  for (const [at, name] of path.slice(0, -1).entries()) {
    checkIndex(holder, path, at);
    const next: unknown = Reflect.get(holder, name);
    const known = isHolder(next) ? next : made(next, path, at);
    Reflect.set(holder, name, known);
    holder = known;
  }
  checkIndex(holder, path, path.length - 1);
  Reflect.set(holder, path.at(-1) ?? '', value);
}

function isHolder(value: unknown): value is Holder {
  return typeof value === 'object' && value !== null;
}

function made(value: unknown, path: SettingPath, at: number): Holder {
  if (value === undefined || value === null) return isIndex(path[at + 1] ?? '') ? [] : {};
  throw new SettingError(`${settingPathText(path)}: ${settingPathText(path.slice(0, at + 1))} is not an object`);
}

function checkIndex(holder: Holder, path: SettingPath, at: number): void {
  if (!Array.isArray(holder)) return;
  const name = path[at] ?? '';
  if (isIndex(name) && Number(name) <= holder.length) return;
  const list = settingPathText(path.slice(0, at));
  throw new SettingError(`${settingPathText(path)}: ${list} is a list of ${holder.length}, counted from 0`);
}

function isIndex(name: string): boolean {
  return /^(?:0|[1-9]\d{0,8})$/.test(name);
}
