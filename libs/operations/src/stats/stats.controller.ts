import { Get } from '@nestjs/common';

import type { StatsView } from '#contracts';
import { statsViewSchema } from '#contracts';

import { ApiController } from '../access/access.guard.js';
import type { Actor } from '../access/operator.js';
import { ByActor } from '../access/operator.js';
import { ApiOperation, InPrograms, Roles } from '../access/route-rules.js';
import { StatsService } from './stats-service.js';
import { toStatsView } from './stats-view.js';

/** The counts and states of everything, at a glance. */
@ApiController('stats')
export class StatsController {
  constructor(private readonly stats: StatsService) {}

  @Get()
  @Roles('viewer')
  @InPrograms('filtered')
  @ApiOperation({ summary: 'How things stand', answer: statsViewSchema })
  async show(@ByActor() { programs }: Actor): Promise<StatsView> {
    return toStatsView(await this.stats.current(), programs);
  }
}
