import { describedIssuesMax } from './describe-issues.js';
import { jsonFlaw } from './json-flaw.js';
import { lossyPaths } from './lossy-numbers.js';

/** Largest record value read (contracts.md section 1). */
export const recordBytesMax = 1024 * 1024;

/** Deepest nesting read; every recursive walk over an event is bounded by it. */
export const jsonDepthMax = 64;

export type ReadJson =
  | {
      readonly ok: true;
      readonly value: unknown;
      /** Where numbers stand that are not the ones that were sent; only the first of them. */
      readonly lossy: readonly (readonly PropertyKey[])[];
    }
  | { readonly ok: false; readonly detail: string };

const none: readonly (readonly PropertyKey[])[] = [];
const utf8 = new TextDecoder('utf-8', { fatal: true });
const needsTaming = /__proto__|\\u(?:005[fF]|[dD][89a-fA-F])/;

/**
 * Bytes to a JSON value: strict UTF-8, bounded in size and depth. Of a key that comes twice the last counts, as
 * everywhere in ECMAScript; keys named `__proto__` are dropped, so that no later copy can reach a prototype.
 */
export function readJson(bytes: Uint8Array): ReadJson {
  if (bytes.byteLength > recordBytesMax) return refuse(`larger than ${recordBytesMax} bytes`);
  const text = decodeUtf8(bytes);
  if (text === null) return refuse('invalid UTF-8');
  const flaw = jsonFlaw(text, jsonDepthMax);
  if (flaw === 'too-deep') return refuse(`nested deeper than ${jsonDepthMax}`);
  try {
    const value: unknown = JSON.parse(text);
    if (needsTaming.test(text) && !tame(value)) return refuse('lone surrogate');
    return { ok: true, value, lossy: flaw === null ? none : lossyPaths(text, describedIssuesMax) };
  } catch {
    return refuse('not JSON');
  }
}

/** Strict: `null` for anything that is not well-formed UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}

function refuse(detail: string): ReadJson {
  return { ok: false, detail };
}

/** Drops `__proto__` keys in place; false when some text holds a lone surrogate, which no UTF-8 can carry. */
function tame(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  if (Object.hasOwn(value, '__proto__')) Reflect.deleteProperty(value, '__proto__');
  return Object.entries(value).every(([key, member]) => key.isWellFormed() && tame(member));
}
