import { type Program, type TransactionMapping } from './case.js';

/** By which part of the programs file each is posted. */
const mappingNames: { readonly [kind: string]: string } = {
  'purchase.completed': 'completed',
  'purchase.refunded': 'refunded',
  'purchase.voided': 'voided',
  'refund.voided': 'refundVoided',
  'purchase.corrected': 'corrected',
};

/** Null: it is posted by none. */
export function mappingOf({
  kind,
  terms,
}: {
  readonly kind: string;
  readonly terms: Program;
}): TransactionMapping | null {
  const mapping = terms.purchases?.[mappingNames[kind] ?? ''];
  return mapping === undefined || mapping.via === 'none' ? null : mapping;
}
