import type { AuditEntry } from '#contracts';
import type { ListedAction } from '#intents';
import { intentId } from '#intents';

import { isoTime } from '../requests/iso-time.js';

/** `seq` 0: all of the member's. */
function intentOf({ program, memberId, seq }: ListedAction): string | null {
  return program === null || memberId === null || !seq ? null : intentId({ program, memberId, seq });
}

function memberOf({ program, memberId }: ListedAction): AuditEntry['member'] {
  return program === null || memberId === null ? null : { program, memberId };
}

export function toAuditEntry(action: ListedAction): AuditEntry {
  const { actionId: id, at, actor, address, action: what, reason, detail } = action;
  return {
    id,
    at: isoTime(at),
    actor,
    address,
    action: what,
    reason,
    member: memberOf(action),
    intent: intentOf(action),
    detail,
  };
}
