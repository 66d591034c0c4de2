import { Injectable } from '@nestjs/common';

import type { LookupReport, Partner, PassLookup, PassPage, PassQuery } from '#gateway';
import { GatewayError } from '#gateway';
import { reportCooldown } from '#intents';
import { retryAfterMsMax } from '#intents/core';
import { Clock, Database } from '#platform';

import { ApiProblem } from '../problems/api-problem.js';
import { LookAdmission } from './look-admission.js';
import type { NamedProgram } from './reading-admission.js';

export interface Answered {
  readonly report: LookupReport;
  /** Passes that the listing counts where no pass was found. */
  readonly listed: number | null;
  /** When it was answered, epoch ms. */
  readonly at: number;
}

/** Where a listing continues: the partner's page, the rows before it, and how many a page was asked to have. */
export interface ListingPlace {
  readonly startPage?: number;
  readonly rowsBefore?: number;
  readonly pageSize: number;
}

interface TurnedPage {
  readonly page: PassPage | null;
  /** Null: it was the last one. */
  readonly next: ListingPlace | null;
}

function nobodyToAsk(detail: string): ApiProblem {
  return new ApiProblem({ status: 409, code: 'nobody-to-ask', title: 'The partner cannot be asked', detail });
}

/** @throws {ApiProblem} where the programs file in force does not have it */
export function requireKnown<Known>(program: Known | undefined): Known {
  if (program === undefined) throw nobodyToAsk('The program is not in the programs file.');
  return program;
}

function partnerFailed({ stage, code, retryAfterMs }: GatewayError): ApiProblem {
  const seconds = Math.max(1, Math.ceil((retryAfterMs ?? 5_000) / 1_000));
  return new ApiProblem({
    ...{ status: 502, code: 'partner-failed', title: 'The partner has not shown its passes' },
    detail: `${stage}: ${code}`,
    headers: { 'retry-after': String(seconds) },
  });
}

/** The partner, as far as a person may ask it beside live delivery. */
export abstract class AskedPartner {
  /** Null in a process without a partner. */
  abstract readonly calls: Pick<Partner, 'findPass' | 'countPasses' | 'listPasses'> | null;
  /** Of one call. */
  abstract readonly timeoutMs: number;
}

/** What a person asks the partner, one question at a time. A cooldown that it asks for holds for delivery as well. */
@Injectable()
export class PartnerQuestions {
  constructor(
    private readonly partner: AskedPartner,
    private readonly looks: LookAdmission,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** @throws {ApiProblem} in a process that knows no partner */
  requirePartner(): NonNullable<AskedPartner['calls']> {
    const { calls } = this.partner;
    if (calls === null) throw nobodyToAsk('This process has no WALLET_ settings.');
    return calls;
  }

  /** A member's pass; where there is none also the listing. @throws {ApiProblem} */
  async findPass(program: NamedProgram, lookup: PassLookup): Promise<Answered> {
    const calls = this.requirePartner();
    const { timeoutMs } = this.partner;
    return this.looks.run(program, async () => {
      const report = await calls.findPass(lookup, { timeoutMs });
      const { brandId, programId, uniqueId } = lookup;
      const counted =
        report.kind === 'absent' ? await calls.countPasses({ brandId, programId, uniqueId }, { timeoutMs }) : null;
      const failed = [report, counted].find((each) => each?.kind === 'failed');
      const retryAfterMs = failed?.kind === 'failed' ? failed.retryAfterMs : null;
      await this.cool(program, retryAfterMs === null ? null : Math.min(retryAfterMs, retryAfterMsMax));
      return { report, listed: counted?.kind === 'counted' ? counted.totalCount : null, at: this.clock.now() };
    });
  }

  /** One page of a listing. @throws {ApiProblem} */
  async listPasses(program: NamedProgram, asked: PassQuery, place: ListingPlace): Promise<TurnedPage> {
    const calls = this.requirePartner();
    const listing = calls.listPasses(asked, { timeoutMs: this.partner.timeoutMs, ...place });
    return this.looks.run(program, async () => {
      try {
        const turned = await listing.pages()[Symbol.asyncIterator]().next();
        const { end, nextPage, rows } = listing.summary;
        const rowsBefore = (place.rowsBefore ?? 0) + rows;
        const next = end === 'complete' ? null : { startPage: nextPage, rowsBefore, pageSize: place.pageSize };
        return { page: turned.done === true ? null : turned.value, next };
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error;
        await this.cool(program, error.retryAfterMs);
        throw partnerFailed(error);
      }
    });
  }

  private async cool({ name }: NamedProgram, retryAfterMs: number | null): Promise<void> {
    if (retryAfterMs !== null) await reportCooldown(this.database, name, this.clock.now() + retryAfterMs);
  }
}
