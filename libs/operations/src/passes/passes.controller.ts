import { Get, Inject, Query } from '@nestjs/common';
import type { z } from 'zod';

import type { ListedPassPage, Program } from '#contracts';
import { listedPassPageSchema, passListQuerySchema } from '#contracts';
import type { PassPage, PassQuery } from '#gateway';
import { GatewayError } from '#gateway';
import { auditAccess, reportCooldown } from '#intents';

import { ApiController } from '../access/access.guard.js';
import type { Actor } from '../access/operator.js';
import { auditContextOf, ByActor } from '../access/operator.js';
import { ApiOperation, InPrograms, Roles } from '../access/route-rules.js';
import type { ApiSettings } from '../api-settings.js';
import { API_SETTINGS } from '../api-settings.js';
import { requireProgram } from '../jobs/job-orders.js';
import { maskPass } from '../masking/shown-documents.js';
import { listingFilterOf } from '../partner-reading/listing-filter.js';
import { LookAdmission } from '../partner-reading/look-admission.js';
import { memberIdOf } from '../partner-reading/partner-reader.js';
import { ApiProblem } from '../problems/api-problem.js';
import { ZodPipe } from '../requests/read-request.js';

type PassListQuery = z.output<typeof passListQuerySchema>;

/** Where a listing goes on: the partner's page, the rows before it, and how many a page was asked to have. */
interface Place {
  readonly startPage?: number;
  readonly rowsBefore?: number;
  readonly pageSize: number;
}

function placeOf({ cursor, limit }: PassListQuery): Place {
  if (cursor === undefined) return { pageSize: limit };
  const [startPage = 0, rowsBefore = 0, pageSize = limit] = cursor.split('.').map(Number);
  return { startPage, rowsBefore, pageSize };
}

function partnerFailed({ stage, code, retryAfterMs }: GatewayError): ApiProblem {
  const seconds = Math.max(1, Math.ceil((retryAfterMs ?? 5_000) / 1_000));
  return new ApiProblem({
    ...{ status: 502, code: 'partner-failed', title: 'The partner has not shown its passes' },
    detail: `${stage}: ${code}`,
    headers: { 'retry-after': String(seconds) },
  });
}

interface TurnedPage {
  readonly page: PassPage | null;
  readonly nextCursor: string | null;
}

/** The partner's own listing of a program's passes (partner-api.md 4.5), page by page, held by nobody in between. */
@ApiController('passes')
export class PassesController {
  constructor(
    @Inject(API_SETTINGS) private readonly settings: ApiSettings,
    @Inject(LookAdmission) private readonly looks: LookAdmission,
  ) {}

  @Get()
  @Roles('operator')
  @InPrograms('named')
  @ApiOperation({ summary: "The partner's own listing of a program's passes", answer: listedPassPageSchema })
  async list(
    @Query(new ZodPipe(passListQuerySchema)) query: PassListQuery,
    @ByActor() actor: Actor,
  ): Promise<ListedPassPage> {
    const { program: name, reason } = query;
    const program = requireProgram(this.settings.programs(), name, actor);
    const place = placeOf(query);
    await this.audit(query, actor, reason);
    const turned = await this.looks.run({ name, program }, () => this.turn(query, program, place));
    const passes = turned.page?.passes ?? [];
    return {
      items: passes.map((pass) => ({ memberId: memberIdOf(pass, program), pass: maskPass(pass) })),
      nextCursor: turned.nextCursor,
      totalCount: turned.page?.totalCount ?? null,
    };
  }

  private async audit(
    { program, updatedSince, status, tier, template, cursor }: PassListQuery,
    actor: Actor,
    reason: string,
  ): Promise<void> {
    const { database, clock } = this.settings;
    const audit = auditContextOf(actor, reason, clock);
    const detail = { program, updatedSince, status, tier, template, cursor };
    await auditAccess(database, { audit, action: 'passes.list', place: null, detail });
  }

  private async turn(query: PassListQuery, { brandId, programId }: Program, place: Place): Promise<TurnedPage> {
    const { partner } = this.settings;
    if (partner === null) {
      throw new ApiProblem({ status: 409, code: 'nobody-to-ask', title: 'The partner cannot be asked' });
    }
    const asked: PassQuery = { brandId, programId, ...listingFilterOf({ request: query }) };
    const listing = partner.calls.listPasses(asked, { timeoutMs: partner.timeoutMs, ...place });
    try {
      const turned = await listing.pages()[Symbol.asyncIterator]().next();
      const { end, nextPage, rows } = listing.summary;
      const rowsBefore = (place.rowsBefore ?? 0) + rows;
      const nextCursor = end === 'complete' ? null : `${nextPage}.${rowsBefore}.${place.pageSize}`;
      return { page: turned.done === true ? null : turned.value, nextCursor };
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      await this.rest(query.program, error);
      throw partnerFailed(error);
    }
  }

  /** A cooldown that the partner asks for holds for delivery as well. */
  private async rest(program: string, { retryAfterMs }: GatewayError): Promise<void> {
    const { database, clock } = this.settings;
    if (retryAfterMs !== null) await reportCooldown(database, program, clock.now() + retryAfterMs);
  }
}
