import { Body, HttpCode, Param, Post, Req, Res, UseGuards } from '@nestjs/common';
import { z } from 'zod';

import type { Accepted } from '#contracts';
import { acceptedSchema } from '#contracts';
import { AccessGuard, ApiController, ApiOperation, BodyBytesMax, PathParams, Signed } from '#operations';

import type { HttpRequest } from '../cloud-events/read-http-event.js';
import { doorBodyBytesMax, rawBody } from '../raw-body.js';
import { HooksService } from './hooks.service.js';

const accepted = 202;

interface TypedReply {
  header(name: string, value: string): TypedReply;
}

/** As admission passes it on. */
interface HookedRequest {
  readonly headers: HttpRequest['headers'];
  readonly address?: string;
}

/** Signed webhooks of shop systems. */
@ApiController('hooks')
@UseGuards(AccessGuard)
export class HooksController {
  constructor(private readonly hooks: HooksService) {}

  @Post(':source')
  @HttpCode(accepted)
  @Signed()
  @PathParams({ source: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,99}$/, 'not one of ours') })
  @BodyBytesMax(doorBodyBytesMax)
  @ApiOperation({
    summary: 'Write a signed webhook into the topic of its source; the answer is what its vendor wants to read',
    answer: acceptedSchema,
    status: accepted,
  })
  async write(
    @Param('source') source: string,
    @Body() body: unknown,
    @Req() { headers, address = '' }: HookedRequest,
    @Res({ passthrough: true }) reply: TypedReply,
  ): Promise<Accepted | string> {
    const { accepted: answer, text } = await this.hooks.accept(source, { headers, body: rawBody(body), address });
    if (text === null) return answer;
    reply.header('content-type', 'text/plain; charset=utf-8');
    return text;
  }
}
