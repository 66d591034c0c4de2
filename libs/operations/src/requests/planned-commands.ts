import { Injectable } from '@nestjs/common';

import type { RequestPreviewView } from '#contracts';
import { eventPlanner } from '#events';
import type { LoadedPlan } from '#intents';
import { loadPlanned, MemberKeys } from '#intents';
import type { EventPlanner, IdentityPlace } from '#intents/core';
import { Database } from '#platform';

import { toPreviewView } from '../intents/intent-view.js';
import { ProgramsControl } from '../reload/programs-control.js';
import { RequestPreviews } from './request-previews.js';

/** By the file of this process. */
export function plannerOf(programs: Pick<ProgramsControl, 'file' | 'inForce'>): EventPlanner {
  return eventPlanner(programs.file(), programs.inForce().hash);
}

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
  requestOf({ next }: Pick<LoadedPlan, 'next'>): RequestPreviewView {
    return toPreviewView(this.previews.of(next));
  }

  /** By what they are planned now. */
  get tools(): { readonly planner: EventPlanner; readonly keys: MemberKeys } {
    return { planner: plannerOf(this.programs), keys: this.keys };
  }

  /** Without those that say nothing, or are erased; in no order. Personal. */
  async of(places: readonly IdentityPlace[]): Promise<LoadedPlan[]> {
    return loadPlanned(this.database, places, this.tools);
  }
}
