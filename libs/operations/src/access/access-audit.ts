import { Injectable } from '@nestjs/common';

import type { RecordedAction } from '#intents';
import { AuditRepository } from '#intents';
import { Clock } from '#platform';

import type { Actor } from './operator.js';
import { auditContextOf } from './operator.js';

interface Access {
  readonly action: RecordedAction['action'];
  readonly reason: string;
  /** Null: of no member. */
  readonly laneId: number | null;
  readonly detail?: RecordedAction['detail'];
}

/** Requests that change nothing and leave a trace all the same: what is personal was shown, or the partner was asked. */
@Injectable()
export class AccessAudit {
  constructor(
    private readonly audits: AuditRepository,
    private readonly clock: Clock,
  ) {}

  async record(actor: Actor, { action, reason, laneId, detail }: Access): Promise<void> {
    const audit = auditContextOf(actor, reason, this.clock);
    const place = laneId === null ? null : { laneId, seq: 0 };
    await this.audits.recordAccess({ audit, action, place, ...(detail === undefined ? {} : { detail }) });
  }
}
