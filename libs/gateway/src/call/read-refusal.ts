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

/** What a duplicate refusal would mention of what was sent. */
export interface SentValues {
  /** The values that the partner takes once only. */
  readonly values: readonly string[];
  /** The names of their fields. */
  readonly names: readonly string[];
  /** Other names and values of the same request: who is refused for these is not refused for ours. */
  readonly others?: readonly string[];
  /** A duplicate of it is looked up and proves nothing by itself, so that any hint is enough. */
  readonly isLookedUp?: boolean;
}

/** A call that only reads, or whose refusal can mean no duplicate. */
export const NOTHING_SENT: SentValues = { values: [], names: [] };

interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * Whether a refusal says that the very value which was sent is taken already. While an attempt is in doubt that counts as
 * proof of it, so that a wrong yes loses a sale in silence, and a wrong no only parks it: the value must stand there as a
 * whole, no word may speak of work in progress or of nothing done, and the phrase must be nearer to what is ours than to
 * anything else that could be meant.
 */
export function saysDuplicate(message: string, sent: SentValues, compiled: CompiledDialect): boolean {
  const { duplicatePhrases, duplicateVetoPattern, dialect } = compiled;
  const phrases = [...message.matchAll(duplicatePhrases)].map(({ index, 0: { length } }) => spanAt(index, length));
  if (phrases.length === 0) return false;
  const text = message.toLowerCase();
  const values = sent.values.flatMap((value) => tokens(text, value.toLowerCase()));
  const names = sent.names.flatMap((name) => words(text, name.toLowerCase()));
  if (sent.isLookedUp === true) return values.length + names.length > 0;
  if (values.length === 0 && !(dialect.duplicate.byNameOnly && names.length > 0)) return false;
  if (duplicateVetoPattern.test(message)) return false;
  const ours = [...values, ...names];
  const others = [...(sent.others ?? []), ...dialect.duplicate.otherSubjects]
    .filter((word) => !isOurs(word, sent))
    .flatMap((word) => words(text, word.toLowerCase()));
  return phrases.some((phrase) => distance(phrase, ours) < distance(phrase, others));
}

function isOurs(word: string, { values, names }: SentValues): boolean {
  return [...values, ...names].some((own) => own.toLowerCase() === word.toLowerCase());
}

function spanAt(from: number, length: number): Span {
  return { from, to: from + length };
}

/** Characters between a phrase and the nearest of the mentions; infinite where there is none. */
function distance(phrase: Span, mentions: readonly Span[]): number {
  const gaps = mentions.map(({ from, to }) => Math.max(0, from - phrase.to, phrase.from - to));
  return Math.min(...gaps, Infinity);
}

/** Where a name stands as a whole word: `receipt` is in `uq_receipt`, not in `receipts`. */
function words(text: string, word: string): Span[] {
  const isEdge = (character: string): boolean => !/[\p{L}\p{N}]/u.test(character);
  return spans(text, word).filter(({ from, to }) => isEdge(text.charAt(from - 1)) && isEdge(text.charAt(to)));
}

/** Where a value stands as a whole: `118` is neither in `1180` nor in `B-118`, `118.5`, `118/2` or `***118`. */
function tokens(text: string, value: string): Span[] {
  return spans(text, value).filter(
    ({ from, to }) =>
      /(?:^|[\s"'`´‘’‚“”„«»‹›([{<>=:;,#|])$/u.test(text.slice(0, from)) && AFTER_TOKEN.test(text.slice(to)),
  );
}

const AFTER_TOKEN = /^(?:$|[\s"'`´‘’‚“”„«»‹›)\]}<>,:;!?|\\&]|\.(?:$|[\s"'”’»)]))/u;

function spans(text: string, word: string): Span[] {
  const found: Span[] = [];
  if (word === '') return found;
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) found.push(spanAt(at, word.length));
  return found;
}
