import type { ServerResponse } from 'node:http';

import { Get, Query, Req, Res } from '@nestjs/common';

import type { IntentDownloadQuery, IntentValuesQuery, IntentValuesView } from '#contracts';
import { intentDownloadQuerySchema, intentValuesQuerySchema, intentValuesSchema } from '#contracts';

import { ApiController } from '../access/access.guard.js';
import type { Actor } from '../access/operator.js';
import { ByActor } from '../access/operator.js';
import { ApiOperation, InPrograms, Roles, Streamed } from '../access/route-rules.js';
import { ZodPipe } from '../requests/read-request.js';
import { downloadFormats, IntentDownloads } from './intent-downloads.js';
import { IntentValues } from './list-values.js';

/** The part of Fastify's answer that is needed here. */
interface Reply {
  readonly raw: ServerResponse;
  hijack(): unknown;
  header(name: string, value: string): Reply;
  send(body: string): unknown;
}

/** What a list of intents is narrowed down by, and the list as a file. */
@ApiController('intents')
export class IntentListsController {
  constructor(
    private readonly values: IntentValues,
    private readonly downloads: IntentDownloads,
  ) {}

  @Get('values')
  @Roles('viewer')
  @InPrograms('filtered')
  @ApiOperation({ summary: 'What a filter finds among them, with counts', answer: intentValuesSchema })
  async valuesOf(
    @Query(new ZodPipe(intentValuesQuerySchema)) query: IntentValuesQuery,
    @ByActor() { programs }: Actor,
  ): Promise<IntentValuesView> {
    return this.values.list(query, programs);
  }

  @Get('download')
  @Roles('viewer')
  @InPrograms('filtered')
  @Streamed()
  @ApiOperation({ summary: 'The list as a file', textType: ['text/csv', 'application/x-ndjson'] })
  async download(
    @Query(new ZodPipe(intentDownloadQuerySchema)) query: IntentDownloadQuery,
    @ByActor() actor: Actor,
    @Req() { method }: { readonly method: string },
    @Res() reply: Reply,
  ): Promise<void> {
    const { format } = query;
    const headers = {
      'content-type': downloadFormats[format].contentType,
      'content-disposition': `attachment; filename="intents.${format}"`,
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      connection: 'close',
    };
    if (method === 'HEAD') {
      reply.header('content-type', headers['content-type']).send('');
      return;
    }
    await this.downloads.send(query, actor, () => {
      reply.hijack();
      return reply.raw.writeHead(200, headers);
    });
  }
}
