import { Body, HttpCode, Post } from '@nestjs/common';
import type { z } from 'zod';

import type { IntentCorrectionResult } from '#contracts';
import { intentCorrectionResultSchema, intentCorrectionSchema, intentIdSchema } from '#contracts';

import { ApiController } from '../access/access.guard.js';
import type { Actor } from '../access/operator.js';
import { ByActor } from '../access/operator.js';
import {
  ApiOperation,
  BodyBytesMax,
  InPrograms,
  PathParams,
  recordBodyBytesMax,
  Roles,
} from '../access/route-rules.js';
import { RawPath, ZodPipe } from '../requests/read-request.js';
import { CorrectionService } from './correction-service.js';

const ok = 200;

/** Giving an intent another content. */
@ApiController('intents')
export class CorrectionsController {
  constructor(private readonly corrections: CorrectionService) {}

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
    return this.corrections.correct(id, said, actor);
  }
}
