import { Get, Query } from '@nestjs/common';
import type { z } from 'zod';

import type { ListedPassPage } from '#contracts';
import { listedPassPageSchema, passListQuerySchema } from '#contracts';

import { ApiController } from '../access/access.guard.js';
import type { Actor } from '../access/operator.js';
import { ByActor } from '../access/operator.js';
import { ApiOperation, InPrograms, Roles } from '../access/route-rules.js';
import { ZodPipe } from '../requests/read-request.js';
import { PassListing } from './pass-listing.js';

/** The partner's own listing of a program's passes (partner-api.md 4.5), page by page, without state in between. */
@ApiController('passes')
export class PassesController {
  constructor(private readonly passes: PassListing) {}

  @Get()
  @Roles('operator')
  @InPrograms('named')
  @ApiOperation({ summary: "The partner's own listing of a program's passes", answer: listedPassPageSchema })
  async list(
    @Query(new ZodPipe(passListQuerySchema)) query: z.output<typeof passListQuerySchema>,
    @ByActor() actor: Actor,
  ): Promise<ListedPassPage> {
    return this.passes.list(query, actor);
  }
}
