import { jsonDepthMax } from '#contracts';

/** What a `--set` cannot do, in words that name its path. */
export class SettingError extends Error {
  override readonly name = 'SettingError';
}

/** Where a setting goes, from the event down. */
export type SettingPath = readonly string[];

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
export function readSettingPath(text: string): SettingPath {
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
export function settingPathText(path: SettingPath): string {
  return path.join('.');
}
