import { refuse } from '../http/refusal.js';
import type { Program } from '../seed/catalogue.js';
import type { TransactionType } from '../seed/seed.js';

/** The transaction type that a path names; refused with 404 when the program has no such type. */
export function findTransactionType(program: Program, typeId: string): TransactionType {
  return program.transactionTypes.get(typeId) ?? refuse(404, 'No such transaction type of this program');
}
