import { Get, Inject, Query } from '@nestjs/common';

import type { AuditEntry, AuditPage, AuditQuery } from '#contracts';
import { auditQuerySchema } from '#contracts';
import type { ListedAction } from '#intents';
import { intentId, listActions } from '#intents';

import { ApiController } from '../access/access.guard.js';
import type { ApiSettings } from '../api-settings.js';
import { API_SETTINGS } from '../api-settings.js';
import { idInPath, isoTime, ZodPipe } from '../requests/read-request.js';

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

/** Who did what, when and why. */
@ApiController('audit')
export class AuditController {
  constructor(@Inject(API_SETTINGS) private readonly settings: ApiSettings) {}

  @Get()
  async list(@Query(new ZodPipe(auditQuerySchema)) sent: AuditQuery): Promise<AuditPage> {
    const { actor = null, action = null, cursor, limit } = sent;
    const before = cursor === undefined ? null : idInPath(cursor, 'cursor');
    const query = { actor, action, before, limit };
    const actions = await listActions(this.settings.database, query);
    const last = actions.length < limit ? undefined : actions.at(-1);
    return { items: actions.map(toAuditEntry), nextCursor: last === undefined ? null : String(last.actionId) };
  }
}
