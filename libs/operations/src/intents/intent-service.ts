import { Injectable } from '@nestjs/common';

import type { IntentCountQuery, IntentDetails, IntentPage, IntentQuery, RequestPreviewView } from '#contracts';
import type { IdentityPlace, IntentStatus } from '#intents/core';

import type { Actor } from '../access/operator.js';
import { knownNames } from '../masking/shown-documents.js';
import { ProgramsControl } from '../reload/programs-control.js';
import { refuseRequest, timeRange } from '../requests/read-request.js';
import { PlannedCommands } from '../requests/planned-commands.js';
import { IntentLookup, intentNames, noSuchIntent } from './intent-lookup.js';
import { toIntentDetails, toIntentView } from './intent-view.js';
import type { IntentFilter, ListedIntent, ListPage, ListPosition } from './list-intents.js';
import type { IntentTimeline } from './timeline.js';
import { TimelineRepository } from './timeline.js';

const parts = 3;

/** A page's end as a token that clients hand back. */
export function cursorOf({ recordedAt, laneId, seq }: ListPosition): string {
  return Buffer.from([recordedAt, laneId, seq].join('.')).toString('base64url');
}

/** Null for what was never a cursor. */
export function positionOf(cursor: string): ListPosition | null {
  const numbers = Buffer.from(cursor, 'base64url').toString('latin1').split('.').map(Number);
  const [recordedAt = NaN, laneId = NaN, seq = NaN] = numbers;
  const isWhole = numbers.length === parts && numbers.every((number) => Number.isSafeInteger(number) && number >= 0);
  return isWhole && seq < 2 ** 31 ? { recordedAt, laneId, seq } : null;
}

/** Of one status or several, each once; the contract has let no others through. */
function statusFilter(text: string | undefined): IntentFilter {
  const statuses = [...new Set((text ?? '').split(','))] as IntentStatus[];
  const [status, ...others] = statuses;
  if (text === undefined || status === undefined) return {};
  return others.length === 0 ? { status } : { statuses };
}

/** What is looked for, one after the other: `q` may be the id of several things. */
export function filtersOf({ q, from, to, status, ...rest }: IntentCountQuery): IntentFilter[] {
  const filter = { ...rest, ...statusFilter(status), ...timeRange({ from, to }) } as IntentFilter;
  return q === undefined ? [filter] : searches(q).map((search) => ({ ...filter, ...search }));
}

function searches(q: string): IntentFilter[] {
  const [name] = intentNames(q);
  if (name !== undefined) return [name];
  return [{ purchaseId: q }, { memberId: q }];
}

/** Lists intents, and shows one with its status and whole timeline. */
@Injectable()
export class IntentService {
  constructor(
    private readonly intents: IntentLookup,
    private readonly timelines: TimelineRepository,
    private readonly programs: ProgramsControl,
    private readonly commands: PlannedCommands,
  ) {}

  /** @throws {ApiProblem} */
  async list({ cursor, limit, order, ...query }: IntentQuery, { programs }: Actor): Promise<IntentPage> {
    const after = cursor === undefined ? null : positionOf(cursor);
    if (cursor !== undefined && after === null) refuseRequest('cursor: not one of ours');
    let page: ListPage = { items: [], next: null };
    for (const filter of filtersOf(query)) {
      page = await this.intents.list({ filter, programs, after, limit, order });
      if (page.items.length > 0 || page.next !== null) break;
    }
    return { items: page.items.map(toIntentView), nextCursor: page.next === null ? null : cursorOf(page.next) };
  }

  /** @throws {ApiProblem} 404 */
  async one(id: string, actor: Actor): Promise<IntentDetails> {
    const place = await this.intents.find(id, actor);
    const timeline = await this.timelines.load(place);
    if (timeline === null) throw noSuchIntent();
    const intent = await this.intents.show(place);
    const file = { names: knownNames(this.programs.file()), programsHash: this.programs.inForce().hash };
    return toIntentDetails(intent, timeline, await this.nextRequest(intent, timeline, place), file);
  }

  /** Null for what is settled, and for what has no content, or none any more. */
  private async nextRequest(
    { status }: ListedIntent,
    { command }: IntentTimeline,
    place: IdentityPlace,
  ): Promise<RequestPreviewView | null> {
    if (status === 'delivered' || status === 'cancelled') return null;
    const [plan] = await this.commands.of([place]);
    const next = plan?.next ?? command;
    return next === null ? null : this.commands.requestOf({ next });
  }
}
