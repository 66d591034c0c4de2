import { Injectable } from '@nestjs/common';

import type { ActionRequest, ActionResult, Alongside, ProvenAnswer, RereadAnswers } from '#intents';
import { IntentActionRepository } from '#intents';
import type { SqlSession } from '#platform';

import { ProgramsControl } from '../reload/programs-control.js';
import { plannerOf } from '../requests/planned-commands.js';

/** What operators do with one intent, by the programs file of this process. */
@Injectable()
export class PlannedActions {
  constructor(
    private readonly actions: IntentActionRepository,
    private readonly programs: ProgramsControl,
  ) {}

  /** As `IntentActionRepository.act`. */
  async act(request: Omit<ActionRequest, 'planner'>): Promise<ActionResult> {
    return this.actions.act({ ...request, planner: plannerOf(this.programs) });
  }

  /** As `IntentActionRepository.actAlongside`. */
  async actAlongside(request: Omit<ActionRequest, 'planner'>, alongside: Alongside): Promise<ActionResult> {
    return this.actions.actAlongside({ ...request, planner: plannerOf(this.programs) }, alongside);
  }

  /** As `IntentActionRepository.settleReread`, of one program. */
  async settleReread(
    session: SqlSession,
    { program, ...answers }: Omit<RereadAnswers, 'sendsKept'> & { readonly program: string },
  ): Promise<ProvenAnswer[]> {
    const sendsKept = this.programs.file().programs[program]?.onRejoin === 'send';
    return this.actions.settleReread(session, { ...answers, sendsKept });
  }
}
