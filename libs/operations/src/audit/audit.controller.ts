import { Get, Query } from '@nestjs/common';

import type { AuditEntry, AuditPage, AuditQuery } from '#contracts';
import { auditPageSchema, auditQuerySchema } from '#contracts';
import type { ListedAction } from '#intents';
import { intentId, listActions } from '#intents';
import { Database } from '#platform';

import { ApiController } from '../access/access.guard.js';
import type { Actor } from '../access/operator.js';
import { ByActor } from '../access/operator.js';
import { ApiOperation, InPrograms, Roles } from '../access/route-rules.js';
import { isoTime, timeRange, ZodPipe } from '../requests/read-request.js';

/** `seq` 0: all of the member's. */
function intentOf({ program, memberId, seq }: ListedAction): string | null {
  return program === null || memberId === null || !seq ? null : intentId({ program, memberId, seq });
}

function memberOf({ program, memberId }: ListedAction): AuditEntry['member'] {
  return program === null || memberId === null ? null : { program, memberId };
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
@ApiController('audit')
export class AuditController {
  constructor(private readonly database: Database) {}

  @Get()
  @Roles('viewer')
  @InPrograms('filtered')
  @ApiOperation({ summary: 'Who did what', answer: auditPageSchema })
  async list(
    @Query(new ZodPipe(auditQuerySchema)) sent: AuditQuery,
    @ByActor() { programs }: Actor,
  ): Promise<AuditPage> {
    const { actor = null, action = null, memberId = null, cursor, limit } = sent;
    const { from = null, to = null } = timeRange(sent);
    const before = cursor === undefined ? null : Number(cursor);
    const query = { actor, action, memberId, from, to, programs, before, limit };
    const actions = await listActions(this.database, query);
    const last = actions.length < limit ? undefined : actions.at(-1);
    return {
      items: actions.map(toAuditEntry),
      nextCursor: last === undefined ? null : String(last.actionId),
    };
  }
}
