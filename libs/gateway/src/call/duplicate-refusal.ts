import { STATUS_CODES } from 'node:http';

import type { CompiledDialect } from '../dialect/dialect-registry.js';
import { plainText, SENT, VALUE } from '../dialect/duplicate-template.js';
import { bodyDepthMax, messageCharsMax } from '../limits.js';
import type { ReadBody } from './answer-body.js';

/** What a duplicate refusal would mention of what was sent. */
export interface SentValues {
  /** The values that the partner takes once only. */
  readonly values: readonly string[];
  /** The names of their fields. */
  readonly names: readonly string[];
  /** Other values of the same request, which a template may name (`<sent>`). */
  readonly others?: readonly string[];
  /** A duplicate of it is looked up and proves nothing by itself, so that any hint is enough. */
  readonly isLookedUp?: boolean;
}

/** A call that only reads, or whose refusal can mean no duplicate. */
export const NOTHING_SENT: SentValues = { values: [], names: [] };

/** A refusal as it came: the words as they are matched, and the whole of its body. */
export interface Refusal {
  readonly message: string;
  readonly body: ReadBody;
  readonly status: number | null;
}

/**
 * Whether a refusal says that the very value which was sent is taken already. While an attempt is in doubt that counts as
 * proof of it, so that a wrong yes loses a sale in silence, and a wrong no only parks it. So the whole message must fit a
 * template of the dialect, and nothing beside it may say more: "already exists (transaction 991, status DECLINED)" is the
 * partner's word that the sale is not there.
 */
export function saysDuplicate(refusal: Refusal, sent: SentValues, compiled: CompiledDialect): boolean {
  if (sent.isLookedUp === true) return hintsAtDuplicate(refusal.message, sent, compiled);
  const { message } = refusal;
  // A message that long was cut: what it ends with is not known.
  if (sent.names.length === 0 || message.length >= messageCharsMax) return false;
  const own = sent.values.reduce((text, value) => placed(text, value, VALUE), message.toLowerCase());
  const all = (sent.others ?? []).reduce((text, value) => placed(text, value, SENT), own);
  const texts = [...new Set([own, all])].map(plainText);
  const isFit = compiled.duplicateTemplates.some(({ fits }) =>
    texts.some((text) => sent.names.some((name) => fits(text, name))),
  );
  return isFit && saysNothingElse(refusal, sent, compiled);
}

/** The text with a mark wherever the value stands as a whole. */
function placed(text: string, value: string, mark: string): string {
  const spans = tokens(text, value.toLowerCase());
  return spans.reduceRight((at, { from, to }) => `${at.slice(0, from)} ${mark} ${at.slice(to)}`, text);
}

interface Span {
  readonly from: number;
  readonly to: number;
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
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + word.length)) {
    found.push({ from: at, to: at + word.length });
  }
  return found;
}

/** An enrolment's: a phrase of the dialect, and a value or the name of its field. */
function hintsAtDuplicate(
  message: string,
  { values, names }: SentValues,
  { duplicatePattern }: CompiledDialect,
): boolean {
  if (!duplicatePattern.test(message)) return false;
  const text = message.toLowerCase();
  const isNamed = names.some((name) => spans(text, name.toLowerCase()).some((span) => isWord(text, span)));
  return isNamed || values.some((value) => tokens(text, value.toLowerCase()).length > 0);
}

/** `receipt` is in `uq_receipt`, not in `receipts`. */
function isWord(text: string, { from, to }: Span): boolean {
  const isEdge = (character: string): boolean => !/[\p{L}\p{N}]/u.test(character);
  return isEdge(text.charAt(from - 1)) && isEdge(text.charAt(to));
}

/** What names a refusal, as code or title, and says nothing of a transaction. */
const NAMES_REFUSAL =
  /^(?:(?:duplicated?|value|entry|key|record|transaction|unique(?:ness)?|violation|constraint|error|already|exists|conflict)[\s_-]*)+$/i;

/**
 * Whether the body says nothing but its message: the status of HTTP and its phrase, a code that names a duplicate,
 * what the dialect says is about the request. A `status: "DECLINED"` or a `transactionId` may be another's.
 */
function saysNothingElse({ message, body, status }: Refusal, { values, names }: SentValues, compiled: CompiledDialect) {
  const { duplicate, success } = compiled.dialect;
  const phrase = STATUS_CODES[status ?? 0] ?? '';
  const repeated = [message, String(status), phrase, ...values, ...names].map(plainText);
  return leaves(body.json, '', bodyDepthMax).every(([name, value]) => {
    const isFlag = success.denied.flags.includes(name) && value === false;
    const text = String(value).slice(0, messageCharsMax);
    return isFlag || duplicate.beside.includes(name) || repeated.includes(plainText(text)) || NAMES_REFUSAL.test(text);
  });
}

/** What stands in a body, by the name it stands under. Deeper than `depth` it stands as the object it is. */
function leaves(json: unknown, name: string, depth: number): (readonly [name: string, value: unknown])[] {
  if (json === null || json === undefined || json === '') return [];
  if (typeof json !== 'object' || depth === 0) return [[name, json]];
  const isList = Array.isArray(json);
  return Object.entries(json).flatMap(([key, value]) => leaves(value, isList ? name : key, depth - 1));
}
