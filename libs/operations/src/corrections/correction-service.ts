import { Injectable } from '@nestjs/common';
import type { z } from 'zod';

import type { IntentCorrectionResult, intentCorrectionSchema } from '#contracts';
import type { RevisedCommand } from '#intents';
import type { PartnerCommand } from '#intents/core';

import type { Actor } from '../access/operator.js';
import { requireAdminFor } from '../access/operator.js';
import { IntentActions } from '../intents/intent-actions.js';
import { IntentLookup } from '../intents/intent-lookup.js';
import { toIntentView, toPreviewView } from '../intents/intent-view.js';
import { RequestPreviews } from '../requests/request-previews.js';
import type { Correction } from './revise-command.js';
import { listChanges } from './revise-command.js';
import { Revisions } from './revisions.js';

type Said = z.output<typeof intentCorrectionSchema>;

function correctionOf({ command, patch }: Said): Correction {
  return command === undefined ? { kind: 'patch', patch: patch ?? {} } : { kind: 'replace', command };
}

/** Giving an intent another content: appended, with who, why and what differs. */
@Injectable()
export class CorrectionService {
  constructor(
    private readonly intents: IntentLookup,
    private readonly actions: IntentActions,
    private readonly revisions: Revisions,
    private readonly previews: RequestPreviews,
  ) {}

  /** @throws {ApiProblem} */
  async correct(id: string, said: Said, actor: Actor): Promise<IntentCorrectionResult> {
    const place = await this.intents.find(id, actor);
    const intent = await this.intents.show(place);
    const revise = (current: PartnerCommand | null): RevisedCommand => {
      const revised = this.revisions.of(intent, current, correctionOf(said));
      requireAdminFor(revised.privileged, actor);
      return revised;
    };
    const { before, after } = await this.actions.correct(place, { revise, reason: said.reason, actor });
    return {
      intent: toIntentView(await this.intents.show(place)),
      changes: listChanges(before, after, said.command ?? said.patch),
      nextRequest: toPreviewView(this.previews.of(after)),
    };
  }
}
