import { Get, Inject } from '@nestjs/common';

import type { StatsView } from '#contracts';

import { ApiController } from '../api-controller.js';
import { StatsBoard } from './stats-board.js';
import { toStatsView } from './stats-view.js';

/** How things stand, at a glance. */
@ApiController('stats')
export class StatsController {
  constructor(@Inject(StatsBoard) private readonly board: StatsBoard) {}

  @Get()
  async show(): Promise<StatsView> {
    return toStatsView(await this.board.current());
  }
}
