import { Injectable } from '@nestjs/common';
import type { z } from 'zod';

import type { ListedPassPage, passListQuerySchema } from '#contracts';

import { AccessAudit } from '../access/access-audit.js';
import type { Actor } from '../access/operator.js';
import { requireProgram } from '../jobs/job-orders.js';
import { maskPass } from '../masking/shown-documents.js';
import { listingFilterOf } from '../partner-reading/listing-filter.js';
import { memberIdOf } from '../partner-reading/partner-reader.js';
import type { ListingPlace } from '../partner-reading/partner-questions.js';
import { PartnerQuestions } from '../partner-reading/partner-questions.js';
import { ProgramsControl } from '../reload/programs-control.js';

type PassListQuery = z.output<typeof passListQuerySchema>;

function placeOf({ cursor, limit }: PassListQuery): ListingPlace {
  if (cursor === undefined) return { pageSize: limit };
  const [startPage = 0, rowsBefore = 0, pageSize = limit] = cursor.split('.').map(Number);
  return { startPage, rowsBefore, pageSize };
}

/** The partner's own listing of a program's passes, masked. The request itself leaves a trace. */
@Injectable()
export class PassListing {
  constructor(
    private readonly partner: PartnerQuestions,
    private readonly programs: ProgramsControl,
    private readonly audit: AccessAudit,
  ) {}

  /** @throws {ApiProblem} */
  async list(query: PassListQuery, actor: Actor): Promise<ListedPassPage> {
    const { program: name, reason, updatedSince, status, tier, template, cursor } = query;
    const program = requireProgram(this.programs.file(), name, actor);
    const detail = { program: name, updatedSince, status, tier, template, cursor };
    await this.audit.record(actor, { action: 'passes.list', reason, laneId: null, detail });
    const { brandId, programId } = program;
    const asked = { brandId, programId, ...listingFilterOf({ request: query }) };
    const { page, next } = await this.partner.listPasses({ name, program }, asked, placeOf(query));
    return {
      items: (page?.passes ?? []).map((pass) => ({ memberId: memberIdOf(pass, program), pass: maskPass(pass) })),
      nextCursor: next === null ? null : `${next.startPage}.${next.rowsBefore}.${next.pageSize}`,
      totalCount: page?.totalCount ?? null,
    };
  }
}
