import { Injectable } from '@nestjs/common';

import { auditAccess } from '#intents';
import { Clock, Database } from '#platform';

import type { Actor } from './operator.js';
import { auditContextOf } from './operator.js';

interface Access {
  readonly action: Parameters<typeof auditAccess>[1]['action'];
  readonly reason: string;
  /** Null: of no member. */
  readonly laneId: number | null;
  readonly detail?: Parameters<typeof auditAccess>[1]['detail'];
}

/** Requests that change nothing and leave a trace all the same: what is personal was shown, or the partner was asked. */
@Injectable()
export class AccessAudit {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  async record(actor: Actor, { action, reason, laneId, detail }: Access): Promise<void> {
    const audit = auditContextOf(actor, reason, this.clock);
    const place = laneId === null ? null : { laneId, seq: 0 };
    await auditAccess(this.database, { audit, action, place, ...(detail === undefined ? {} : { detail }) });
  }
}
