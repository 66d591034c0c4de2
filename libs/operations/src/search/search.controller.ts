import { Get, Query } from '@nestjs/common';

import type { SearchQuery, SearchResult } from '#contracts';
import { searchQuerySchema, searchResultSchema } from '#contracts';

import { ApiController } from '../access/access.guard.js';
import type { Actor } from '../access/operator.js';
import { ByActor } from '../access/operator.js';
import { ApiOperation, InPrograms, Roles } from '../access/route-rules.js';
import { ZodPipe } from '../requests/read-request.js';
import { SearchService } from './search-service.js';

/** Finds by an id, or its beginning. */
@ApiController('search')
export class SearchController {
  constructor(private readonly search: SearchService) {}

  @Get()
  @Roles('viewer')
  @InPrograms('filtered')
  @ApiOperation({ summary: 'What has this id, or begins so', answer: searchResultSchema })
  async find(
    @Query(new ZodPipe(searchQuerySchema)) query: SearchQuery,
    @ByActor() actor: Actor,
  ): Promise<SearchResult> {
    return this.search.find(query, actor);
  }
}
