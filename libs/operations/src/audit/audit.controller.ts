import { Get, Query } from '@nestjs/common';

import type { AuditPage, AuditQuery } from '#contracts';
import { auditPageSchema, auditQuerySchema } from '#contracts';

import { ApiController } from '../access/access.guard.js';
import type { Actor } from '../access/operator.js';
import { ByActor } from '../access/operator.js';
import { ApiOperation, InPrograms, Roles } from '../access/route-rules.js';
import { ZodPipe } from '../requests/read-request.js';
import { AuditService } from './audit-service.js';

/** Who did what, when and why. */
@ApiController('audit')
export class AuditController {
  constructor(private readonly audit: AuditService) {}

  @Get()
  @Roles('viewer')
  @InPrograms('filtered')
  @ApiOperation({ summary: 'Who did what', answer: auditPageSchema })
  async list(
    @Query(new ZodPipe(auditQuerySchema)) query: AuditQuery,
    @ByActor() { programs }: Actor,
  ): Promise<AuditPage> {
    return this.audit.list(query, programs);
  }
}
