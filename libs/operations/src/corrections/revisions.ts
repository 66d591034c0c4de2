import { Injectable } from '@nestjs/common';

import type { Program } from '#contracts';
import type { RevisedCommand } from '#intents';
import type { Operation, PartnerCommand } from '#intents/core';

import { ApiProblem } from '../problems/api-problem.js';
import { ProgramsControl } from '../reload/programs-control.js';
import { RequestPreviews } from '../requests/request-previews.js';
import { adminsCommandChanges } from './admins-changes.js';
import type { Correction, KnownParts } from './revise-command.js';
import { enforcedAttributes, listChanges, reviseCommand } from './revise-command.js';

function unprocessable(code: string, title: string, detail: string): ApiProblem {
  return new ApiProblem({ status: 422, code, title, detail });
}

/** Whose content is corrected. */
export interface RevisedIntent {
  readonly program: string;
  readonly memberId: string;
  readonly operation: Operation;
}

function knownParts({ memberId, operation }: RevisedIntent, program: Program): KnownParts {
  const { brandId, programId, uniqueIdKey } = program;
  return { operation, brandId, programId, uniqueId: memberId, uniqueIdKey, enforced: enforcedAttributes(program) };
}

/** What corrections make of intents, by the programs file of this process: nothing is written. */
@Injectable()
export class Revisions {
  constructor(
    private readonly programs: ProgramsControl,
    private readonly previews: RequestPreviews,
  ) {}

  /**
   * @param current what it says now; null: nothing yet
   * @returns with the paths that take an admin
   * @throws {ApiProblem} where nothing can be sent that way, or nothing would change
   */
  of(intent: RevisedIntent, current: PartnerCommand | null, correction: Correction): RevisedCommand {
    const program = this.programOf(intent);
    const parts = knownParts(intent, program);
    const command = reviseCommand(current, parts, correction);
    const changed = listChanges(current, command).map(({ path }) => path);
    if (changed.length === 0) {
      throw unprocessable('nothing-changed', 'The correction changes nothing', 'It says what the intent says already.');
    }
    const preview = this.previews.of(command);
    if (preview.kind === 'refused') {
      throw unprocessable('invalid-command', 'No request can be made of it', preview.problems.join('; '));
    }
    return { command, changed, privileged: adminsCommandChanges(current ?? parts, command, program) };
  }

  /** Where the intent's program is no longer known nothing can be said of to whom it would go. */
  private programOf({ program }: RevisedIntent): Program {
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
}
