import type { ServerResponse } from 'node:http';

import { Get, Req, Res } from '@nestjs/common';

import { STREAM_EVENTS } from '#contracts';

import { ApiController } from '../access/access.guard.js';
import type { Actor } from '../access/operator.js';
import { ByActor } from '../access/operator.js';
import { ApiOperation, InPrograms, Roles, Streamed } from '../access/route-rules.js';
import { lastEventId } from './live-changes.js';
import { LiveFeed } from './live-feed.js';

/** The part of the HTTP request that is needed here. */
interface Request {
  readonly method: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** The part of Fastify's answer that is needed here. */
interface Reply {
  readonly raw: ServerResponse;
  hijack(): unknown;
  header(name: string, value: string): Reply;
  send(body: string): unknown;
}

/** Nothing on the way may keep it, gather it or wait for its end; the connection ends with it. */
const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
  connection: 'close',
};

/** What changes, as Server-Sent Events. */
@ApiController('stream')
export class StreamController {
  constructor(private readonly feed: LiveFeed) {}

  @Get()
  @Roles('viewer')
  @InPrograms('filtered')
  @Streamed()
  @ApiOperation({ summary: 'What changes, as Server-Sent Events', events: STREAM_EVENTS })
  async watch(@Req() request: Request, @Res() reply: Reply, @ByActor() actor: Actor): Promise<void> {
    if (request.method === 'HEAD') {
      reply.header('content-type', streamHeaders['content-type']).send('');
      return;
    }
    const lastId = lastEventId(request.headers['last-event-id']);
    const answer = (): ServerResponse => {
      reply.hijack();
      return reply.raw.writeHead(200, streamHeaders);
    };
    const { programs: limit, until, isStillIn } = actor;
    await this.feed.open({
      lastId,
      limit,
      answer,
      ...(until !== undefined && { until }),
      ...(isStillIn && { isStillIn }),
    });
  }
}
