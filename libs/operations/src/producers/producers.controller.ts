import { Get, Inject, Query } from '@nestjs/common';

import type { ProducerList, ProducersQuery } from '#contracts';
import { lateAfterSeconds, producersQuerySchema } from '#contracts';

import { ApiController } from '../access/access.guard.js';
import type { Actor } from '../access/operator.js';
import { ByActor } from '../access/operator.js';
import type { ApiSettings } from '../api-settings.js';
import { API_SETTINGS } from '../api-settings.js';
import { isoTime, rangeMeant, ZodPipe } from '../requests/read-request.js';
import { readProducers } from './read-producers.js';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const range = { usualMs: dayMs, leastMs: 60_000, mostMs: 31 * dayMs };

/** What tills and shops send, and how well. */
@ApiController('producers')
export class ProducersController {
  constructor(@Inject(API_SETTINGS) private readonly settings: ApiSettings) {}

  @Get()
  async list(
    @Query(new ZodPipe(producersQuerySchema)) query: ProducersQuery,
    @ByActor() { programs }: Actor,
  ): Promise<ProducerList> {
    const { database, clock } = this.settings;
    const asked = rangeMeant(query, clock.now(), range);
    const from = Math.floor(asked.from / hourMs) * hourMs;
    const { items, isPart } = await readProducers(database, { from, to: asked.to, programs });
    return { from: isoTime(from), to: isoTime(asked.to), lateSeconds: lateAfterSeconds, items: [...items], isPart };
  }
}
