import type { PartnerCommand } from '#domain';
import { Keyring, SealBrokenError, unseal } from '#platform';

import type { AskedEffect } from '../history.js';

type TransactionCommand = Extract<PartnerCommand, { readonly operation: 'transaction' }>;

/**
 * What a frozen command asks, in the words of the ledger.
 * @param contentOf how that ledger tells a transaction's content
 */
export function askedEffect(command: PartnerCommand, contentOf: (command: TransactionCommand) => string): AskedEffect {
  const plain = {
    operation: command.operation,
    key: null,
    isEnforced: false,
    target: null,
    content: null,
    pointsDelta: null,
  };
  switch (command.operation) {
    case 'issue':
    case 'schedule-update':
      return plain;
    case 'issue-via-workflow':
    case 'update-via-workflow':
      return { ...plain, target: command.workflowId };
    case 'reward':
      return { ...plain, target: command.rewardId, pointsDelta: command.pointsDelta ?? null };
    case 'transaction':
      return {
        ...plain,
        key: command.uniqueAttribute?.value ?? null,
        isEnforced: command.uniqueAttribute?.enforced ?? false,
        target: command.transactionTypeId,
        content: contentOf(command),
        pointsDelta: command.pointsDelta ?? null,
      };
  }
}

/** What tells two transactions of one type apart: amount and time, however they are written. */
export function transactionContent(body: { readonly amount: unknown; readonly transactionDate: unknown }): string {
  return `${Number(body.amount)} at ${momentOf(String(body.transactionDate))}`;
}

/** Where a sealed value lies. */
interface Place {
  readonly lane_id: number;
  readonly seq: number;
}

/** Opens what the database keeps sealed, as far as the history needs it. */
export class MemberSeals {
  private readonly keyring: Keyring;

  /** @param encryptionKey as `LOYALTYD_ENCRYPTION_KEY` */
  constructor(encryptionKey: string) {
    this.keyring = new Keyring(encryptionKey.split(',').map((key) => Buffer.from(key, 'base64')));
  }

  /** A member's data key; null when it has been destroyed. */
  keyOf(laneId: number, wrapped: Buffer | null): Uint8Array | null {
    return wrapped === null ? null : this.keyring.unwrap(wrapped, Buffer.from(`member:${laneId}`, 'latin1'));
  }

  /** What a recorded intent asks; null: nothing, or it cannot be read any more. */
  payload(place: Place, key: Uint8Array | null, sealed: Buffer): AskedEffect | null {
    const text = open(place, key, sealed);
    const command = text === null ? null : (JSON.parse(text.slice(0, text.indexOf('\n'))) as PartnerCommand | null);
    return command === null ? null : askedEffect(command, transactionContent);
  }

  /** What a correction asks from now on. */
  correction(place: Place, key: Uint8Array | null, sealed: Buffer | null): AskedEffect | null {
    const text = sealed === null ? null : open(place, key, sealed);
    const { command } = text === null ? { command: null } : (JSON.parse(text) as { command: PartnerCommand | null });
    return command === null ? null : askedEffect(command, transactionContent);
  }

  /** The id of the request that an answer belongs to; null where it tells none. */
  requestId(place: Place, key: Uint8Array | null, sealed: Buffer | null): string | null {
    const text = sealed === null ? null : open(place, key, sealed);
    if (text === null) return null;
    const evidence = JSON.parse(text) as { readonly response?: { readonly headers?: Record<string, string> } | null };
    return evidence.response?.headers?.['x-request-id'] ?? null;
  }
}

function open({ lane_id: laneId, seq }: Place, key: Uint8Array | null, sealed: Buffer): string | null {
  if (key === null) return null;
  try {
    return unseal({ key, sealed, context: Buffer.from(`${laneId}:${seq}`, 'latin1') }).toString('utf8');
  } catch (error) {
    if (error instanceof SealBrokenError) return null;
    throw error;
  }
}

/** Of a date in whatever form of ISO 8601 the partner asks for; without a zone it is in UTC, as all that is sent. */
function momentOf(date: string): number {
  const extended = date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)/, '$1-$2-$3T$4:$5:$6');
  return Date.parse(/(?:Z|[+-]\d\d:\d\d)$/.test(extended) ? extended : `${extended}Z`);
}
