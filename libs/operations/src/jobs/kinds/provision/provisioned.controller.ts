import { Body, Get, HttpCode, Param, Post } from '@nestjs/common';
import { z } from 'zod';

import type { ProvisionedList, ProvisionedView } from '#contracts';
import { provisionedListSchema, provisionedViewSchema, stepResolutionSchema } from '#contracts';

import { ApiController } from '../../../access/access.guard.js';
import type { Actor } from '../../../access/operator.js';
import { ByActor } from '../../../access/operator.js';
import { ApiOperation, PathParams, Roles } from '../../../access/route-rules.js';
import { ZodPipe } from '../../../requests/read-request.js';
import { ProvisionedService } from './provisioned-service.js';

const ok = 200;

/** What was set up at the partner, and what is in doubt of it. */
@ApiController('provisioned')
export class ProvisionedController {
  constructor(private readonly provisioned: ProvisionedService) {}

  @Get()
  @Roles('viewer')
  @ApiOperation({ summary: 'What we set up at the partner', answer: provisionedListSchema })
  async recorded(): Promise<ProvisionedList> {
    return this.provisioned.list();
  }

  @Post(':stepId/resolve')
  @HttpCode(ok)
  @Roles('operator')
  @PathParams({ stepId: z.uuid() })
  @ApiOperation({ summary: 'Say what became of a call in doubt', answer: provisionedViewSchema })
  async resolve(
    @Param('stepId') stepId: string,
    @Body(new ZodPipe(stepResolutionSchema)) body: z.output<typeof stepResolutionSchema>,
    @ByActor() actor: Actor,
  ): Promise<ProvisionedView> {
    return this.provisioned.resolve(stepId, body, actor);
  }
}
