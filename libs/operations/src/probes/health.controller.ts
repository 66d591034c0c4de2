import { Controller, Get, HttpException, HttpStatus, Inject } from '@nestjs/common';

import { PROBE_SOURCE } from './probe-source.js';
import type { ProbeAnswer, ProbeSource } from './probe-source.js';

interface HealthBody {
  readonly status: 'ok';
}

function answer({ problems }: ProbeAnswer): HealthBody {
  if (problems.length === 0) return { status: 'ok' };
  throw new HttpException({ status: 'failing', problems }, HttpStatus.SERVICE_UNAVAILABLE);
}

/** The three probes of Kubernetes: 200 `{status: ok}`, or 503 with the problems. */
@Controller('health')
export class HealthController {
  constructor(@Inject(PROBE_SOURCE) private readonly source: ProbeSource) {}

  @Get('live')
  live(): HealthBody {
    return answer(this.source.live());
  }

  @Get('ready')
  async ready(): Promise<HealthBody> {
    return answer(await this.source.ready());
  }

  @Get('startup')
  startup(): HealthBody {
    return answer(this.source.started());
  }
}
