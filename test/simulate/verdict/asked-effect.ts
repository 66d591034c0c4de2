import type { PartnerCommand } from '#domain';

import type { AskedEffect } from '../../checker/index.js';
import { transactionContent } from '../partner/wallet.js';

/** What a command asks of the partner, as the checker wants it told. */
export function askedEffect(command: PartnerCommand): AskedEffect {
  const { operation } = command;
  const plain = { operation, key: null, isEnforced: false, content: null, pointsDelta: null };
  switch (command.operation) {
    case 'issue':
    case 'schedule-update':
      return { ...plain, target: null };
    case 'issue-via-workflow':
    case 'update-via-workflow':
      return { ...plain, target: command.workflowId };
    case 'reward':
      return { ...plain, target: command.rewardId, pointsDelta: command.pointsDelta ?? null };
    case 'transaction':
      return {
        ...plain,
        target: command.transactionTypeId,
        key: command.uniqueAttribute?.value ?? null,
        isEnforced: command.uniqueAttribute?.enforced ?? false,
        content: transactionContent({ ...command }),
        pointsDelta: command.pointsDelta ?? null,
      };
  }
}
