import type { CompiledDialect } from '../dialect/dialect-registry.js';
import { messageCharsMax } from '../limits.js';
import type { ReadBody } from './answer-body.js';

/** The words of an error body: the first of the dialect's `error.message` that is present; blank counts as none. */
export function refusalMessage(body: ReadBody, { messagePaths }: CompiledDialect): string | null {
  const texts = messagePaths.map((path) => (path === WHOLE_BODY ? textOf(body) : valueAt(body.json, path)));
  const message = texts.find((text) => typeof text === 'string' && text.trim() !== '');
  return typeof message === 'string' ? message.slice(0, messageCharsMax) : null;
}

/** In `error.message`: the body itself, where it is text. */
export const WHOLE_BODY = '$';

/** A JSON string, or a text that is no page. */
function textOf({ kind, text, json }: ReadBody): unknown {
  if (kind !== 'not-json') return json;
  return text.trimStart().startsWith('<') ? null : text;
}

/** @param path names and indexes of lists, between dots */
export function valueAt(json: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((at, step) => (isHolder(at) && Object.hasOwn(at, step) ? at[step] : undefined), json);
}

function isHolder(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/**
 * Whether words hold the path that was asked for, as web frameworks word it that they have no such route: "Cannot POST
 * /brands/101/...", "No static resource brands/101/...", "The requested URL /brands/101/... was not found". Compared is what
 * lies below the brand, for what is between us may take a prefix off or put one on.
 * @param path of the request, with ids percent-encoded
 */
export function saysOwnPath(message: string, path: string): boolean {
  const [pathname = ''] = path.split('?');
  const own = plainPath(pathname).replace(/^\/[^/]*\//, '');
  return own.includes('/') && plainPath(message).includes(own);
}

/** Without percent-encodings, escapes of HTML and JSON, and repeated slashes. */
function plainPath(text: string): string {
  const plain = text.replace(/&#(?:x2f|47);|\\\/|\/+/gi, '/');
  return plain.replace(/(?:%[0-9a-f]{2})+/gi, decodedOr).toLowerCase();
}

function decodedOr(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}
