import type { CompiledDialect } from '../dialect/dialect-registry.js';
import { messageCharsMax } from '../limits.js';
import type { ReadBody } from './answer-body.js';

/** The words of an error body: the first of the dialect's `error.message` that is there; blank counts as none. */
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
function valueAt(json: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((at, step) => (isHolder(at) && Object.hasOwn(at, step) ? at[step] : undefined), json);
}

function isHolder(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
