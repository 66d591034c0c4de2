import { Get, Inject, Query } from '@nestjs/common';

import type { z } from 'zod';

import type { AuditChainPage, AuditEntry, AuditPage, AuditQuery } from '#contracts';
import { auditChainQuerySchema, auditQuerySchema } from '#contracts';
import type { ChainPlace, ListedAction } from '#intents';
import { chainStart, headText, intentId, listActions, readChain, readChainState } from '#intents';

import { ApiController } from '../access/access.guard.js';
import type { Actor } from '../access/operator.js';
import { ByActor } from '../access/operator.js';
import type { ApiSettings } from '../api-settings.js';
import { API_SETTINGS } from '../api-settings.js';
import { isoTime, refuseRequest, timeRange, ZodPipe } from '../requests/read-request.js';

/** `seq` 0: all of the member's. */
function intentOf({ program, memberId, seq }: ListedAction): string | null {
  return program === null || memberId === null || !seq ? null : intentId({ program, memberId, seq });
}

function memberOf({ program, memberId }: ListedAction): AuditEntry['member'] {
  return program === null || memberId === null ? null : { program, memberId };
}

export function toAuditEntry(action: ListedAction): AuditEntry {
  const { actionId: id, at, actor, subject, address, requestId, action: what, reason, detail, link } = action;
  return {
    id,
    at: isoTime(at),
    actor,
    subject,
    address,
    requestId,
    action: what,
    reason,
    member: memberOf(action),
    intent: intentOf(action),
    detail,
    link,
  };
}

const chainCursor = /^(\d{1,15})_(-?\d{1,18})?$/;

function cursorOf({ no, actionId }: ChainPlace): string {
  return `${no}_${actionId ?? ''}`;
}

function placeOf(cursor: string | undefined): ChainPlace {
  if (cursor === undefined) return chainStart;
  const [, no, actionId = null] = chainCursor.exec(cursor) ?? [];
  return no === undefined ? refuseRequest('cursor: not one of ours') : { no: Number(no), actionId };
}

/** Who did what, when and why. */
@ApiController('audit')
export class AuditController {
  constructor(@Inject(API_SETTINGS) private readonly settings: ApiSettings) {}

  @Get()
  async list(
    @Query(new ZodPipe(auditQuerySchema)) sent: AuditQuery,
    @ByActor() { programs }: Actor,
  ): Promise<AuditPage> {
    const { actor = null, action = null, memberId = null, cursor, limit } = sent;
    const { from = null, to = null } = timeRange(sent);
    const before = cursor === undefined ? null : Number(cursor);
    const query = { actor, action, memberId, from, to, programs, before, limit };
    const { database } = this.settings;
    // First: where nothing waits, what is listed then has its links.
    const chain = programs === null ? await this.standing() : null;
    const actions = await listActions(database, query);
    const last = actions.length < limit ? undefined : actions.at(-1);
    return {
      items: actions.map(toAuditEntry),
      nextCursor: last === undefined ? null : String(last.actionId),
      chain,
    };
  }

  private async standing(): Promise<NonNullable<AuditPage['chain']>> {
    const { head, waiting } = await readChainState(this.settings.database);
    return { head: head === null ? null : headText(head), waiting };
  }

  @Get('chain')
  async chain(
    @Query(new ZodPipe(auditChainQuerySchema)) { cursor, limit }: z.output<typeof auditChainQuerySchema>,
  ): Promise<AuditChainPage> {
    const { database } = this.settings;
    const { links, strays, next } = await readChain(database, placeOf(cursor), limit);
    const { waiting } = await readChainState(database);
    return {
      items: [...links],
      strays: [...strays],
      waiting,
      nextCursor: next === null ? null : cursorOf(next),
    };
  }
}
