import { Body, HttpCode, Inject, Post } from '@nestjs/common';
import type { z } from 'zod';

import type { IntentCorrectionResult, Program } from '#contracts';
import { intentCorrectionResultSchema, intentCorrectionSchema, intentIdSchema } from '#contracts';
import type { PartnerCommand } from '#intents/core';
import { previewRequest } from '#gateway';
import type { RevisedCommand } from '#intents';
import { correctIntent } from '#intents';

import { ApiController } from '../access/access.guard.js';
import type { Actor } from '../access/operator.js';
import { ByActor, requireAdminFor, auditContextOf } from '../access/operator.js';
import {
  ApiOperation,
  BodyBytesMax,
  InPrograms,
  PathParams,
  Roles,
  recordBodyBytesMax,
} from '../access/route-rules.js';
import type { ApiSettings } from '../api-settings.js';
import { API_SETTINGS } from '../api-settings.js';
import { IntentLookup, refusedAction } from '../intents/intent-lookup.js';
import { toIntentView, toPreviewView } from '../intents/intent-view.js';
import type { ListedIntent } from '../intents/list-intents.js';
import { ApiProblem } from '../problems/api-problem.js';
import { RawPath, ZodPipe } from '../requests/read-request.js';
import { adminsCommandChanges } from './admins-changes.js';
import type { Correction, KnownParts } from './revise-command.js';
import { enforcedAttributes, listChanges, reviseCommand } from './revise-command.js';

const ok = 200;

function correctionOf({ command, patch }: z.output<typeof intentCorrectionSchema>): Correction {
  return command === undefined ? { kind: 'patch', patch: patch ?? {} } : { kind: 'replace', command };
}

function unprocessable(code: string, title: string, detail: string): ApiProblem {
  return new ApiProblem({ status: 422, code, title, detail });
}

function knownParts({ memberId, operation }: ListedIntent, program: Program): KnownParts {
  const { brandId, programId, uniqueIdKey } = program;
  return { operation, brandId, programId, uniqueId: memberId, uniqueIdKey, enforced: enforcedAttributes(program) };
}

/** Giving an intent another content: appended, with who, why and what differs. */
@ApiController('intents')
export class CorrectionsController {
  constructor(
    @Inject(API_SETTINGS) private readonly settings: ApiSettings,
    @Inject(IntentLookup) private readonly intents: IntentLookup,
  ) {}

  @Post(':id/correct')
  @HttpCode(ok)
  @Roles('operator', {
    adminFor:
      'A correction of anything but the time, the person, texts and attributes that identify nothing takes an admin: the problem names the paths.',
  })
  @InPrograms('named')
  @PathParams({ id: intentIdSchema })
  @BodyBytesMax(recordBodyBytesMax)
  @ApiOperation({ summary: 'Give it another content', answer: intentCorrectionResultSchema })
  async correct(
    @RawPath(-2) id: string,
    @Body(new ZodPipe(intentCorrectionSchema)) said: z.output<typeof intentCorrectionSchema>,
    @ByActor() actor: Actor,
  ): Promise<IntentCorrectionResult> {
    const { database, keys, clock } = this.settings;
    const place = await this.intents.find(id, actor);
    const intent = await this.intents.show(place);
    const program = this.programOf(intent);
    const revise = (current: PartnerCommand | null): RevisedCommand => {
      const base = { current, parts: knownParts(intent, program) };
      const revised = this.revise(base, correctionOf(said));
      const privileged = adminsCommandChanges(current ?? base.parts, revised.command, program);
      requireAdminFor(privileged, actor);
      return { ...revised, privileged };
    };
    const result = await correctIntent(
      database,
      { place, revise, audit: auditContextOf(actor, said.reason, clock) },
      keys,
    );
    if (result.kind === 'refused') throw refusedAction(result.reason);
    return {
      intent: toIntentView(await this.intents.show(place)),
      changes: listChanges(result.before, result.after),
      nextRequest: toPreviewView(previewRequest(result.after, this.settings.dialects, clock.now())),
    };
  }

  /** Where the intent's program is no longer known nothing can be said of to whom it would go. */
  private programOf({ program }: ListedIntent): Program {
    const known = this.settings.programs().programs[program];
    if (known === undefined) {
      throw unprocessable(
        'unknown-program',
        'The programs file has no such program',
        `programs.${program} is missing.`,
      );
    }
    return known;
  }

  /** @throws {ApiProblem} which undoes everything */
  private revise(
    { current, parts }: { readonly current: PartnerCommand | null; readonly parts: KnownParts },
    correction: Correction,
  ): Omit<RevisedCommand, 'privileged'> {
    const command = reviseCommand(current, parts, correction);
    const changed = listChanges(current, command).map(({ path }) => path);
    if (changed.length === 0) {
      throw unprocessable('nothing-changed', 'The correction changes nothing', 'It says what the intent says already.');
    }
    const preview = previewRequest(command, this.settings.dialects, this.settings.clock.now());
    if (preview.kind === 'refused') {
      throw unprocessable('invalid-command', 'No request can be made of it', preview.problems.join('; '));
    }
    return { command, changed };
  }
}
