import { Get, Query } from '@nestjs/common';

import type { SeriesQuery, SeriesView } from '#contracts';
import { seriesQuerySchema, seriesViewSchema } from '#contracts';
import { minuteMs } from '#intents';
import { Clock } from '#platform';

import { ApiController } from '../access/access.guard.js';
import type { Actor, ProgramLimit } from '../access/operator.js';
import { ByActor, maySee } from '../access/operator.js';
import { ApiOperation, InPrograms, Roles } from '../access/route-rules.js';
import { isoTime, rangeMeant, ZodPipe } from '../requests/read-request.js';
import { SeriesRepository } from './read-series.js';

const dayMs = 86_400_000;
const range = { usualMs: dayMs, leastMs: 15 * minuteMs, mostMs: dayMs };

/** Of a program that they may not know of there is nothing, as of one that is not there. */
function programsMeant(limit: ProgramLimit, program: string | undefined): readonly string[] | null {
  if (program === undefined) return limit;
  return maySee(limit, program) ? [program] : [];
}

/** What happened over time. */
@ApiController('series')
export class SeriesController {
  constructor(
    private readonly series: SeriesRepository,
    private readonly clock: Clock,
  ) {}

  @Get()
  @Roles('viewer')
  @InPrograms('filtered')
  @ApiOperation({ summary: 'What happened over time', answer: seriesViewSchema })
  async read(
    @Query(new ZodPipe(seriesQuerySchema)) { program, ...asked }: SeriesQuery,
    @ByActor() { programs: limit }: Actor,
  ): Promise<SeriesView> {
    const now = this.clock.now();
    const programs = programsMeant(limit, program);
    const { stepSeconds, points } = await this.series.read({
      ...rangeMeant(asked, now, range),
      programs,
      now,
    });
    return { stepSeconds, items: points.map(({ at, ...counts }) => ({ at: isoTime(at), ...counts })) };
  }
}
