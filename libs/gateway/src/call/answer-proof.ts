import type { Operation, PassContent, PassReference, ProofNeeded, ProofShown } from '#intents/core';
import { groupOf } from '#intents/core';
import { isDeadPass, isJsonObject } from './answer-body.js';
import type { CompiledDialect } from '../dialect/dialect-registry.js';
import type { Dialect } from '../dialect/dialect-schema.js';
import { messageCharsMax } from '../limits.js';
import { isOtherPass } from './compare-answer.js';

type JsonObject = Readonly<Record<string, unknown>>;

/** What an answer with a success status must show of its effect, and what this one shows (design.md section 6). */
export interface AnswerProof<Input> {
  readonly needed: (input: Input, dialect: Dialect) => ProofNeeded;
  readonly shown: (answer: JsonObject, input: Input, compiled: CompiledDialect) => ProofShown;
}

/** Where partner-api.md documents no proof that we rely on: reads, and calls that configure a brand. */
export const anyObject: AnswerProof<unknown> = {
  needed: () => 'object',
  shown: unlessDenied(() => 'none'),
};

/** 4.2, 4.3 and 4.6 answer the pass: it names itself, and its metaData, where there is any, names our member. */
export const passProof: AnswerProof<PassReference & { readonly operation: Operation; readonly content?: PassContent }> =
  {
    needed: ({ operation }, { success }) => success.proof[operation],
    shown: unlessDenied((answer, reference, { dialect }) => {
      const { success, lookup } = dialect;
      const ownership = passOwnership(answer, reference);
      if (ownership === 'foreign') return 'foreign-pass';
      const isOther = isOtherPass(answer, reference, { dialect, isOurs: ownership === 'ours' });
      if (isOther || isDeadInstead(reference, answer, dialect)) return 'otherwise';
      // A reward names the member in its path; an enrolment finds a pass by what is in it, which others may share.
      const isShared = reference.by !== undefined && reference.operation !== 'reward';
      const mustSay = success.requireMetaData || (isShared && !lookup.trustSharedWithoutMetaData);
      const isOurs = ownership === 'ours' || !mustSay;
      return isOurs && namesPass(answer) ? 'documented' : 'none';
    }),
  };

/** Asked for a card, the partner shows what is none any more. */
function isDeadInstead(
  { operation }: { readonly operation: Operation },
  answer: JsonObject,
  dialect: Dialect,
): boolean {
  return groupOf(operation) === 'issue' && isDeadPass(answer, dialect);
}

/** An answer that says of itself that it failed proves nothing, whatever else it shows that does not speak against it. */
export function unlessDenied<Input>(shown: AnswerProof<Input>['shown']): AnswerProof<Input>['shown'] {
  return (answer, input, compiled) => {
    const proof = shown(answer, input, compiled);
    const speaksAgainst = proof === 'foreign-pass' || proof === 'otherwise';
    return !speaksAgainst && isDenied(answer, compiled) ? 'denied' : proof;
  };
}

function isDenied(answer: JsonObject, { dialect, denialPattern, failedStatusPattern }: CompiledDialect): boolean {
  const { flags, errors } = dialect.success.denied;
  const { message, status, statusCode, result } = answer;
  return (
    flags.some((name) => ['false', false].includes(answer[name] as string | boolean)) ||
    errors.some((name) => saysSomething(answer[name])) ||
    // A pass has a number of its own in `status`: only `statusCode`, which is text there, may be an HTTP status.
    [text(status), text(statusCode), numberText(statusCode), text(result)].some((said) =>
      failedStatusPattern.test(messagePart(said)),
    ) ||
    (typeof message === 'string' && denialPattern.test(messagePart(message)))
  );
}

/** As much of a message as is matched: a page in it could be long. */
export function messagePart(message: string): string {
  return message.slice(0, messageCharsMax);
}

function saysSomething(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() !== '' && value !== '0';
  return typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value);
}

const text = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');
const numberText = (value: unknown): string => (typeof value === 'number' ? String(value) : '');

/** Whether a pass says which one it is. */
export function namesPass({ passId, serialNumber }: JsonObject): boolean {
  return isIdentifier(passId) || isIdentifier(serialNumber);
}

/**
 * A number or its text, whichever is documented. Zero, a nil UUID and -1 are what an id is before it is given out; `null`
 * and its like are what becomes of an empty variable in a text; words and pages are no ids.
 */
export function isIdentifier(id: unknown): boolean {
  if (typeof id === 'number') return Number.isInteger(id) && id !== 0 && id !== -1;
  return typeof id === 'string' && /^[^\s<>[\]{}]+$/.test(id.trim()) && !NO_IDENTIFIER.test(id.trim());
}

const NO_IDENTIFIER = /^(?:[0-]*|-1|null|undefined|none|nil|nan|n\/a|true|false|error|failed|unknown)$/i;

type Ownership = 'ours' | 'foreign' | 'unsaid' | 'unnamed';

type Owner = Pick<PassReference, 'uniqueId' | 'uniqueIdKey' | 'by'>;

/**
 * Whose pass an answer shows. `unsaid`: it names nobody. `unnamed`: it carries metaData without a value under our key.
 * Anything else that is not our id under our key makes it `foreign`, unreadable metaData included: a wrong "ours" would
 * bind a member to another one's pass. Where the documented metaData names nobody, metaData or a `unique_id` beside it
 * count. A number equals its text: the partner may keep `81273` as a number.
 */
export function passOwnership(pass: JsonObject, owner: Owner): Ownership {
  const { passdata } = pass;
  const inside = isJsonObject(passdata) ? passdata : {};
  const documented = metaDataOwner(isJsonObject(passdata) ? passdata['metaData'] : passdata, owner);
  if (documented === 'ours' || documented === 'foreign') return documented;
  const beside = [
    metaDataOwner(pass['metaData'], owner),
    idOwner(pass['unique_id'], [owner.uniqueId, owner.by?.value]),
    idOwner(inside['unique_id'], [owner.uniqueId, owner.by?.value]),
  ];
  if (beside.includes('foreign')) return 'foreign';
  return beside.includes('ours') ? 'ours' : documented;
}

function metaDataOwner(metaData: unknown, { uniqueId, uniqueIdKey }: Owner): Ownership {
  if (metaData === undefined || metaData === null) return 'unsaid';
  if (!isJsonObject(metaData)) return 'foreign';
  if (Object.keys(metaData).length === 0) return 'unsaid';
  const owner = idOwner(new Map(Object.entries(metaData)).get(uniqueIdKey), [uniqueId]);
  return owner === 'unsaid' ? 'unnamed' : owner;
}

function idOwner(id: unknown, ours: readonly (string | undefined)[]): Ownership {
  const named = textOf(id ?? '');
  if (named === '') return 'unsaid';
  return ours.includes(named as string) ? 'ours' : 'foreign';
}

function textOf(value: unknown): unknown {
  return typeof value === 'number' ? String(value) : value;
}
