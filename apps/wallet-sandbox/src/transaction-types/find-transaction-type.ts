import type { Call } from '../http/call.js';
import { refuse } from '../http/refusal.js';
import type { Program } from '../seed/catalogue.js';
import type { TransactionType } from '../seed/seed.js';

/** The transaction type that a path names; refused with 404 when the program has no such type. */
export function findTransactionType(program: Program, { targetId, wording }: Call): TransactionType {
  return program.transactionTypes.get(targetId) ?? refuse(404, wording.noSuch('transaction type', targetId));
}

/** A transaction type that the program is known to have: none is ever removed. */
export function transactionTypeOf(program: Program, typeId: string): TransactionType {
  const type = program.transactionTypes.get(typeId);
  if (type === undefined) throw new Error(`program ${program.programId} has no transaction type ${typeId}`);
  return type;
}
