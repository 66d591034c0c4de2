import type { JsonValue } from './partner-command.js';

/**
 * The one text of a JSON value, after RFC 8785: keys sorted by UTF-16 code units, no white space, numbers as
 * ECMAScript prints them, `-0` as `0`. Two values are equal exactly when their texts are. Keys without a value
 * (`undefined`) do not count. Depth is bounded by whoever read the value (`jsonDepthMax` of #contracts).
 */
export function canonicalJson(value: JsonValue): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${(value as readonly JsonValue[]).map(canonicalJson).join(',')}]`;
  return canonicalObject(value as { readonly [key: string]: JsonValue | undefined });
}

function canonicalObject(value: { readonly [key: string]: JsonValue | undefined }): string {
  let text = '';
  for (const key of Object.keys(value).sort()) {
    const member = value[key];
    if (member === undefined) continue;
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(member)}`;
  }
  return `{${text}}`;
}
