import type { Operation, PassReference, ProofNeeded, ProofShown } from '#domain';
import { isJsonObject } from '../call/answer-body.js';
import type { Dialect } from '../dialect/dialect-schema.js';

type JsonObject = Readonly<Record<string, unknown>>;

/** What an answer with a success status must show of its effect, and what this one shows (design.md section 6). */
export interface AnswerProof<Input> {
  readonly needed: (input: Input, dialect: Dialect) => ProofNeeded;
  readonly shown: (answer: JsonObject, input: Input, dialect: Dialect) => ProofShown;
}

/** Where partner-api.md documents no proof that we rely on: reads, and calls that configure a brand. */
export const anyObject: AnswerProof<unknown> = { needed: () => 'object', shown: () => 'none' };

/** 4.2, 4.3 and 4.6 answer the pass: it names itself, and its metaData, where there is any, names our member. */
export const passProof: AnswerProof<PassReference & { readonly operation: Operation }> = {
  needed: ({ operation }, { success }) => success.proof[operation],
  shown: (answer, reference, { success }) => {
    const ownership = passOwnership(answer, reference);
    if (ownership === 'foreign') return 'foreign-pass';
    const isOurs = ownership === 'ours' || !success.requireMetaData;
    return isOurs && namesPass(answer) ? 'documented' : 'none';
  },
};

/** 4.7 answers the transaction's id. */
export const transactionProof: AnswerProof<unknown> = {
  needed: (_transaction, { success }) => success.proof.transaction,
  shown: ({ transactionId }) => (isIdentifier(transactionId) ? 'documented' : 'none'),
};

/** 4.4 answers a message that confirms the schedule: nothing else is documented. */
export const scheduleProof: AnswerProof<unknown> = {
  needed: (_update, { success }) => success.proof['schedule-update'],
  shown: ({ message }) => (isText(message) ? 'documented' : 'none'),
};

/** Whether a pass says which one it is. */
export function namesPass({ passId, serialNumber }: JsonObject): boolean {
  return isIdentifier(passId) || isIdentifier(serialNumber);
}

/** A number or its text, whichever is documented. Zero is what an id is before it is given out, in many languages. */
function isIdentifier(id: unknown): boolean {
  return typeof id === 'number' ? Number.isFinite(id) && id !== 0 : isText(id) && id !== '0';
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}

/**
 * Whose pass an answer shows. `unsaid`: it carries no metaData at all. `unnamed`: metaData without a value under our key.
 * Anything else that is not our id under our key makes it `foreign`, unreadable metaData included: a wrong "ours" would
 * bind a member to another one's pass. A number equals its text: the partner may keep `81273` as a number.
 */
export function passOwnership(
  pass: Readonly<Record<string, unknown>>,
  { uniqueId, uniqueIdKey }: Pick<PassReference, 'uniqueId' | 'uniqueIdKey'>,
): 'ours' | 'foreign' | 'unsaid' | 'unnamed' {
  const { passdata } = pass;
  const metaData = (isJsonObject(passdata) ? passdata['metaData'] : passdata) ?? {};
  if (!isJsonObject(metaData)) return 'foreign';
  if (Object.keys(metaData).length === 0) return 'unsaid';
  const named = textOf(new Map(Object.entries(metaData)).get(uniqueIdKey) ?? '');
  if (named === '') return 'unnamed';
  return named === uniqueId ? 'ours' : 'foreign';
}

function textOf(value: unknown): unknown {
  return typeof value === 'number' ? String(value) : value;
}
