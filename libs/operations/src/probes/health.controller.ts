import { Controller, Get, HttpStatus, Inject, Res } from '@nestjs/common';

import { PROBE_SOURCE } from './probe-source.js';
import type { ProbeAnswer, ProbeSource } from './probe-source.js';

type HealthBody = { readonly status: 'ok' } | { readonly status: 'failing'; readonly problems: readonly string[] };

/** The part of the HTTP answer that is needed here, whatever the server. */
interface Reply {
  status(code: number): unknown;
}

function answer({ problems }: ProbeAnswer, reply: Reply): HealthBody {
  if (problems.length === 0) return { status: 'ok' };
  reply.status(HttpStatus.SERVICE_UNAVAILABLE);
  return { status: 'failing', problems };
}

/** The three probes of Kubernetes: 200 `{status: ok}`, or 503 with the problems. */
@Controller('health')
export class HealthController {
  constructor(@Inject(PROBE_SOURCE) private readonly source: ProbeSource) {}

  @Get('live')
  live(@Res({ passthrough: true }) reply: Reply): HealthBody {
    return answer(this.source.live(), reply);
  }

  @Get('ready')
  async ready(@Res({ passthrough: true }) reply: Reply): Promise<HealthBody> {
    return answer(await this.source.ready(), reply);
  }

  @Get('startup')
  startup(@Res({ passthrough: true }) reply: Reply): HealthBody {
    return answer(this.source.started(), reply);
  }
}
