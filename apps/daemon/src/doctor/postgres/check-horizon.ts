import type { LongTransaction, ReplicationSlot } from '#platform';

import type { Finding } from '../finding.js';
import { failed, ok, troublesOr, warning } from '../finding.js';
import { bytesText, durationText } from '../quantity.js';

const transactionsName = 'postgres.transactions';
const slotsName = 'postgres.slots';
/** Ours are cut after 30 s per statement and 60 s of idling. */
export const longTransactionMs = 120_000;
const endlessTransactionMs = 3_600_000;
const heldBytesMax = 1024 ** 3;
const heldBytesAlarming = 50 * 1024 ** 3;

function toFinding({ name, application, state, openForMs }: LongTransaction): Finding {
  const who = application === '' ? '' : ` of ${application}`;
  const detail = `${name}${who} (${state}) has been open for ${durationText(openForMs)}: dead rows of lanes cannot be cleaned up, claims slow down`;
  const pid = /^pid (\d+)$/.exec(name)?.[1];
  const remedy =
    pid === undefined
      ? 'Whoever prepared it must end it: COMMIT PREPARED or ROLLBACK PREPARED.'
      : `A dump or a forgotten session? Ask its owner, or end it: SELECT pg_terminate_backend(${pid}).`;
  return (openForMs >= endlessTransactionMs ? failed : warning)(transactionsName, { detail, remedy });
}

/** Transactions that keep dead rows from being cleaned up. */
export function judgeTransactions(transactions: readonly LongTransaction[]): readonly Finding[] {
  const well = `none has been open for more than ${durationText(longTransactionMs)}`;
  return troublesOr(transactions.map(toFinding), ok(transactionsName, well));
}

function isTroubling({ isActive, walStatus, holdsRows, heldBytes }: ReplicationSlot): boolean {
  if (walStatus === 'lost' || walStatus === 'unreserved') return true;
  return (heldBytes ?? 0) >= heldBytesMax || (holdsRows && !isActive);
}

function slotText({ name, isActive, walStatus, holdsRows, heldBytes }: ReplicationSlot): string {
  const reader = isActive ? 'active' : 'nobody reads it';
  const rows = holdsRows ? ' and dead rows' : '';
  return `slot ${name} (${reader}, WAL ${walStatus ?? 'none'}) holds ${bytesText(heldBytes ?? 0)} of WAL${rows}`;
}

function toSlotFinding(slot: ReplicationSlot): Finding {
  const remedy =
    `It fills the disk until its reader comes back. If nobody does: SELECT pg_drop_replication_slot('${slot.name}'). ` +
    'A limit: max_slot_wal_keep_size.';
  const isAlarming = (slot.heldBytes ?? 0) >= heldBytesAlarming;
  return (isAlarming ? failed : warning)(slotsName, { detail: slotText(slot), remedy });
}

/** Replication slots that fill the disk. */
export function judgeSlots(slots: readonly ReplicationSlot[]): readonly Finding[] {
  const well =
    slots.length === 0 ? 'there are none' : `${slots.length}, none holds back more than ${bytesText(heldBytesMax)}`;
  return troublesOr(slots.filter(isTroubling).map(toSlotFinding), ok(slotsName, well));
}
