import { isUtf8 } from 'node:buffer';
import type { BodyKind } from '#domain';
import { parseJson } from './parse-json.js';

/** A complete answer's body, read once. `json` is `undefined` unless `kind` is one of the JSON kinds. */
export interface ReadBody {
  readonly kind: Exclude<BodyKind, 'truncated'>;
  readonly text: string;
  readonly json: unknown;
}

export function readBody(bytes: Buffer): ReadBody {
  const text = withoutByteOrderMark(bytes.toString('utf8'));
  if (text.trim() === '') return { kind: 'empty', text, json: undefined };
  if (!isUtf8(bytes)) return { kind: 'not-json', text, json: undefined };
  try {
    const json = parseJson(text);
    return { kind: isJsonObject(json) ? 'complete-json-object' : 'other-json', text, json };
  } catch {
    return { kind: 'not-json', text, json: undefined };
  }
}

export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function withoutByteOrderMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}
