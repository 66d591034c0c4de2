import { Injectable } from '@nestjs/common';

import type { IntentActionResult } from '#contracts';
import type { CorrectionResult, IntentAction, RevisedCommand } from '#intents';
import { IntentActionRepository } from '#intents';
import type { IdentityPlace, PartnerCommand } from '#intents/core';
import { Clock } from '#platform';

import type { Actor } from '../access/operator.js';
import { actingRole, auditContextOf, refuseUndoing } from '../access/operator.js';
import { IntentLookup, refusedAction } from './intent-lookup.js';
import { toIntentView } from './intent-view.js';
import { PlannedActions } from './planned-actions.js';

interface Said {
  readonly action: IntentAction;
  readonly reason: string;
  readonly actor: Actor;
}

interface Revision {
  /** Throwing undoes everything. */
  readonly revise: (current: PartnerCommand | null) => RevisedCommand;
  readonly reason: string;
  readonly actor: Actor;
}

/** What operators do with one intent: in one transaction, its trace included. */
@Injectable()
export class IntentActions {
  constructor(
    private readonly actions: IntentActionRepository,
    private readonly clock: Clock,
    private readonly intents: IntentLookup,
    private readonly planned: PlannedActions,
  ) {}

  /** @throws {ApiProblem} */
  async act(id: string, { action, reason, actor }: Said): Promise<IntentActionResult> {
    const place = await this.intents.find(id, actor);
    const audit = auditContextOf(actor, reason, this.clock);
    const result = await this.planned.act({ place, action, audit, role: actingRole(actor) });
    if (result.kind === 'refused') {
      refuseUndoing(result.reason);
      throw refusedAction(result.reason);
    }
    return { intent: toIntentView(await this.intents.show(place)), overtaken: result.overtaken };
  }

  /** @returns its content before and after @throws {ApiProblem} */
  async correct(place: IdentityPlace, { revise, reason, actor }: Revision): Promise<Corrected> {
    const audit = auditContextOf(actor, reason, this.clock);
    const result = await this.actions.correct({ place, revise, audit });
    if (result.kind === 'refused') throw refusedAction(result.reason);
    return result;
  }
}

type Corrected = Exclude<CorrectionResult, { readonly kind: 'refused' }>;
