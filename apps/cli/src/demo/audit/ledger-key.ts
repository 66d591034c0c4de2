import { effectKey } from '../traffic/expectation.js';
import type { ExpectedEffect } from '../traffic/expectation.js';
import type { LedgerEntry } from './audit-input.js';

/** A ledger entry in the generator's words: the same key as the effect that was expected. */
export function ledgerKey(entry: LedgerEntry): string {
  const { operation, brandId, programId, uniqueId } = entry;
  const effect = { operation: operation as ExpectedEffect['operation'], brandId, programId, memberId: uniqueId };
  return effectKey({ ...effect, what: whatOf(entry) });
}

function whatOf({ operation, targetId, key, body }: LedgerEntry): string {
  switch (operation) {
    case 'issue':
    case 'issue-via-workflow':
      return '';
    case 'update-via-workflow':
      return updateOf(body);
    case 'transaction':
      return `${targetId ?? '?'} ${key ?? '?'} ${String(valueAt(body, 'amount'))}`;
    case 'reward':
      return targetId ?? '?';
    default:
      return `unknown operation ${operation}`;
  }
}

/** The generator changes points, each time to another number, or opts out. */
function updateOf(body: unknown): string {
  const points = valueAt(valueAt(body, 'passdata'), 'points');
  return typeof points === 'number' ? `points ${points}` : 'sms opt-out';
}

function valueAt(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[key] : undefined;
}
