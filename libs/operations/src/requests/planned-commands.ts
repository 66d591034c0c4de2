import { Injectable } from '@nestjs/common';

import type { RequestPreviewView } from '#contracts';
import { eventPlanner } from '#events';
import type { LoadedPlan } from '#intents';
import { loadPlanned, MemberKeys } from '#intents';
import type { IdentityPlace } from '#intents/core';
import { Database } from '#platform';

import { toPreviewView } from '../intents/intent-view.js';
import { ProgramsControl } from '../reload/programs-control.js';
import { RequestPreviews } from './request-previews.js';

/** What intents say, and what delivery would send for them by the programs file of this process. */
@Injectable()
export class PlannedCommands {
  constructor(
    private readonly database: Database,
    private readonly keys: MemberKeys,
    private readonly programs: ProgramsControl,
    private readonly previews: RequestPreviews,
  ) {}

  /** Masked: the request that would be sent now. */
  requestOf({ current, planned }: Pick<LoadedPlan, 'current' | 'planned'>): RequestPreviewView {
    return toPreviewView(this.previews.of(planned ?? current));
  }

  /** Without those that say nothing, or are erased; in no order. Personal. */
  async of(places: readonly IdentityPlace[]): Promise<LoadedPlan[]> {
    const { database, keys, programs } = this;
    const planner = eventPlanner(programs.file(), programs.inForce().hash);
    return loadPlanned(database, places, { planner, keys });
  }
}
