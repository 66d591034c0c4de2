import type { PartnerCommand } from '#domain';

import type { AskedEffect } from '../history/lane-history.js';

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
  return `${Number(body.amount)} at ${Date.parse(String(body.transactionDate))}`;
}
