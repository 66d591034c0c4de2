import { Controller, Get, Inject, Res } from '@nestjs/common';

import { PROBE_SOURCE } from './probe-source.js';
import type { ProbeSource } from './probe-source.js';

/** The part of the HTTP answer that is needed here, whatever the server. */
interface Reply {
  header(name: string, value: string): Reply;
  send(body: string): unknown;
}

/** `GET /metrics` in the Prometheus text format. */
@Controller('metrics')
export class MetricsController {
  constructor(@Inject(PROBE_SOURCE) private readonly source: ProbeSource) {}

  @Get()
  async metrics(@Res() reply: Reply): Promise<void> {
    const { contentType, text } = await this.source.metrics();
    reply.header('content-type', contentType).send(text);
  }
}
