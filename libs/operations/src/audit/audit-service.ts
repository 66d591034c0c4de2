import { Injectable } from '@nestjs/common';

import type { AuditEntry, AuditPage, AuditQuery } from '#contracts';
import { scriptsOf } from '#contracts';
import type { ListedAction } from '#intents';
import { AuditRepository, intentId } from '#intents';

import type { ProgramLimit } from '../access/operator.js';
import { isoTime, timeRange } from '../requests/read-request.js';

/** `seq` 0: all of the member's. */
function intentOf({ program, memberId, seq }: ListedAction): string | null {
  return program === null || memberId === null || !seq ? null : intentId({ program, memberId, seq });
}

function memberOf({ program, memberId }: ListedAction): AuditEntry['member'] {
  return program === null || memberId === null ? null : { program, memberId, ...scriptsOf(program, memberId) };
}

export function toAuditEntry(action: ListedAction): AuditEntry {
  const { actionId: id, at, actor, role, subject, address, requestId, action: what, reason, detail } = action;
  return {
    id,
    at: isoTime(at),
    actor,
    role,
    subject,
    address,
    requestId,
    action: what,
    reason,
    member: memberOf(action),
    intent: intentOf(action),
    detail,
  };
}

/** Who did what, when and why. */
@Injectable()
export class AuditService {
  constructor(private readonly audits: AuditRepository) {}

  async list(asked: AuditQuery, programs: ProgramLimit): Promise<AuditPage> {
    const { actor = null, action = null, memberId = null, cursor, limit } = asked;
    const { from = null, to = null } = timeRange(asked);
    const before = cursor === undefined ? null : Number(cursor);
    const { items, next } = await this.audits.list({ actor, action, memberId, from, to, programs, before, limit });
    return { items: items.map(toAuditEntry), nextCursor: next === null ? null : String(next) };
  }
}
