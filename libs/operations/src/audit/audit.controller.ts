import { Get, Inject, Query } from '@nestjs/common';

import type { AuditPage } from '#contracts';
import { auditQuerySchema } from '#contracts';
import { listActions } from '#intents';

import { ApiController } from '../api-controller.js';
import { API_SETTINGS } from '../api-settings.js';
import type { ApiSettings } from '../api-settings.js';
import { idInPath, readRequest } from '../requests/read-request.js';
import { toAuditEntry } from './audit-view.js';

/** Who did what, when and why. */
@ApiController('audit')
export class AuditController {
  constructor(@Inject(API_SETTINGS) private readonly settings: ApiSettings) {}

  @Get()
  async list(@Query() sent: unknown): Promise<AuditPage> {
    const { actor = null, action = null, cursor, limit } = readRequest(auditQuerySchema, sent);
    const before = cursor === undefined ? null : idInPath(cursor, 'cursor');
    const query = { actor, action, before, limit };
    const actions = await listActions(this.settings.database, query);
    const last = actions.length < limit ? undefined : actions.at(-1);
    return { items: actions.map(toAuditEntry), nextCursor: last === undefined ? null : String(last.actionId) };
  }
}
