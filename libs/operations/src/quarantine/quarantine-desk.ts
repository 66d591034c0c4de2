import { Inject, Injectable } from '@nestjs/common';

import { headersOf, readSaidEvent } from '#contracts';
import type { SaidEvent } from '#contracts';
import type { BrowsedRecord, Correction, Resubmission } from '#intents';
import { discardQuarantined, findQuarantined, resubmitQuarantined } from '#intents';

import { API_SETTINGS } from '../api-settings.js';
import type { ApiSettings } from '../api-settings.js';
import { adminsEventChanges } from '../privileges/admins-changes.js';
import { requireAdminFor } from '../privileges/require-admin.js';
import type { Actor } from '../requests/actor.js';
import { wordOf } from '../requests/actor.js';
import { alreadySettled, noSuchRecord, notResubmitted } from './quarantine-problems.js';

/** What a person wants done with a record, and why. */
export interface Settling {
  readonly kind: 'resubmit' | 'discard';
  readonly correction: Correction | null;
  readonly reason: string;
  readonly actor: Actor;
}

/** Null where nothing of it can be read. */
function saidIn({ value, headersText }: Pick<Resubmission['arrived'], 'value' | 'headersText'>): SaidEvent | null {
  if (value === 'lost' || headersText === null) return null;
  return readSaidEvent({ value, headers: headersOf(headersText) });
}

function erases({ verdict }: Resubmission): boolean {
  return verdict.kind === 'routed' && verdict.memberEffects?.erase === true;
}

/** Deals with one record set aside: all in one transaction each, the trace included. */
@Injectable()
export class QuarantineDesk {
  constructor(@Inject(API_SETTINGS) private readonly settings: ApiSettings) {}

  /** @throws {ApiProblem} where the record stays as it is, and why */
  async settle(quarantineId: number, settling: Settling): Promise<void> {
    const { database, clock } = this.settings;
    const word = wordOf(settling.actor, settling.reason, clock);
    const { kind } =
      settling.kind === 'discard'
        ? await discardQuarantined(database, { quarantineId, word })
        : await this.resubmit({
            ...{ quarantineId, correction: settling.correction, word },
            permit: (resubmission) => this.permit(resubmission, settling.actor),
          });
    if (kind === 'absent') throw noSuchRecord();
    if (kind === 'settled') throw alreadySettled(await findQuarantined(database, quarantineId));
  }

  /** @throws {ApiProblem} 404 */
  async show(quarantineId: number): Promise<BrowsedRecord> {
    const record = await findQuarantined(this.settings.database, quarantineId);
    if (record === null) throw noSuchRecord();
    return record;
  }

  /** What erases takes an admin although it is as it arrived. @throws {ApiProblem} that undoes everything */
  private permit(resubmission: Resubmission, actor: Actor): string[] {
    const { arrived, taken, isCorrected } = resubmission;
    const changes = isCorrected ? adminsEventChanges(saidIn(arrived), saidIn(taken), this.settings.programs()) : [];
    const privileged = [...new Set([...(erases(resubmission) ? ['data.erase'] : []), ...changes])];
    requireAdminFor(privileged, actor);
    return privileged;
  }

  private async resubmit(
    request: Parameters<typeof resubmitQuarantined>[1],
  ): Promise<{ readonly kind: 'done' | 'absent' | 'settled' }> {
    const { database, intake } = this.settings;
    const result = await resubmitQuarantined(database, request, intake);
    switch (result.kind) {
      case 'lost':
      case 'other-cell':
      case 'batch':
      case 'refused':
        throw notResubmitted(result);
      case 'done':
        intake.wake.notify();
        return result;
      case 'absent':
      case 'settled':
        return result;
    }
  }
}
