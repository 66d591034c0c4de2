import type { DeliveryPolicy } from '../intent/delivery-policy.js';
import { groupOf } from '../operation.js';
import type { Resolution } from './resolution.js';

/**
 * The code of an attempt that nobody knows of: the database was restored, and what was sent after the restored moment is
 * forgotten (design.md section 4, Disaster). Whether there was one at all is part of the doubt.
 */
export const forgottenCode = 'forgotten';

/**
 * How such an attempt is resolved, whatever was in it. Enrolments are looked up first. A transaction with an enforced value
 * is sent again. Other transactions and rewards are never: `resend` in the programs file accepts a double call where one
 * answer was lost, not one for each sale of a day. Updates follow their policy, where nothing needs to have been read
 * before.
 */
export function resolutionAfterRecovery({ operation, resolution }: DeliveryPolicy): Resolution {
  switch (groupOf(operation)) {
    case 'issue':
      return 'look-up';
    case 'transaction':
    case 'reward':
      return resolution === 'resend-unique' ? resolution : 'park';
    case 'update':
    case 'schedule-update':
      return resolution === 'resend' ? resolution : 'park';
  }
}
