import { Injectable } from '@nestjs/common';
import type { z } from 'zod';

import type { IntentCorrectionResult, intentCorrectionSchema, Program } from '#contracts';
import type { RevisedCommand } from '#intents';
import type { PartnerCommand } from '#intents/core';

import type { Actor } from '../access/operator.js';
import { requireAdminFor } from '../access/operator.js';
import { IntentActions } from '../intents/intent-actions.js';
import { IntentLookup } from '../intents/intent-lookup.js';
import { toIntentView, toPreviewView } from '../intents/intent-view.js';
import type { ListedIntent } from '../intents/list-intents.js';
import { ApiProblem } from '../problems/api-problem.js';
import { ProgramsControl } from '../reload/programs-control.js';
import { RequestPreviews } from '../requests/request-previews.js';
import { adminsCommandChanges } from './admins-changes.js';
import type { Correction, KnownParts } from './revise-command.js';
import { enforcedAttributes, listChanges, reviseCommand } from './revise-command.js';

type Said = z.output<typeof intentCorrectionSchema>;

function correctionOf({ command, patch }: Said): Correction {
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
@Injectable()
export class CorrectionService {
  constructor(
    private readonly intents: IntentLookup,
    private readonly actions: IntentActions,
    private readonly programs: ProgramsControl,
    private readonly previews: RequestPreviews,
  ) {}

  /** @throws {ApiProblem} */
  async correct(id: string, said: Said, actor: Actor): Promise<IntentCorrectionResult> {
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
    const { before, after } = await this.actions.correct(place, { revise, reason: said.reason, actor });
    return {
      intent: toIntentView(await this.intents.show(place)),
      changes: listChanges(before, after, said.command ?? said.patch),
      nextRequest: toPreviewView(this.previews.of(after)),
    };
  }

  /** Where the intent's program is no longer known nothing can be said of to whom it would go. */
  private programOf({ program }: ListedIntent): Program {
    const known = this.programs.file().programs[program];
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
    const preview = this.previews.of(command);
    if (preview.kind === 'refused') {
      throw unprocessable('invalid-command', 'No request can be made of it', preview.problems.join('; '));
    }
    return { command, changed };
  }
}
