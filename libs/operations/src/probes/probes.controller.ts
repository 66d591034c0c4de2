import { Controller, Get, HttpStatus, Inject, Res } from '@nestjs/common';

/** Injection token of what the probes ask. */
export const PROBE_SOURCE = Symbol('ProbeSource');

/** Answer of one probe: `problems` is empty when all is well; each names what is wrong, for people. */
export interface ProbeAnswer {
  readonly problems: readonly string[];
}

/** What a process can say about itself (contracts.md section 5). Neither partner nor rebalances make it unhealthy. */
export interface ProbeSource {
  /** The event loop turns, and work moves if work is due and Postgres answers. */
  live(): ProbeAnswer;
  /** Configuration, schema, Postgres. */
  ready(): Promise<ProbeAnswer>;
  /** The start has been completed. */
  started(): ProbeAnswer;
  /** All metrics in the Prometheus text format. */
  metrics(): Promise<{ readonly contentType: string; readonly text: string }>;
}

type HealthBody = { readonly status: 'ok' } | { readonly status: 'failing'; readonly problems: readonly string[] };

/** The part of the HTTP answer that is needed here, whatever the server. */
interface HealthReply {
  status(code: number): unknown;
}

function answer({ problems }: ProbeAnswer, reply: HealthReply): HealthBody {
  if (problems.length === 0) return { status: 'ok' };
  reply.status(HttpStatus.SERVICE_UNAVAILABLE);
  return { status: 'failing', problems };
}

/** The three probes of Kubernetes: 200 `{status: ok}`, or 503 with the problems. */
@Controller('health')
export class HealthController {
  constructor(@Inject(PROBE_SOURCE) private readonly source: ProbeSource) {}

  @Get('live')
  live(@Res({ passthrough: true }) reply: HealthReply): HealthBody {
    return answer(this.source.live(), reply);
  }

  @Get('ready')
  async ready(@Res({ passthrough: true }) reply: HealthReply): Promise<HealthBody> {
    return answer(await this.source.ready(), reply);
  }

  @Get('startup')
  startup(@Res({ passthrough: true }) reply: HealthReply): HealthBody {
    return answer(this.source.started(), reply);
  }
}

/** The part of the HTTP answer that is needed here, whatever the server. */
interface MetricsReply {
  header(name: string, value: string): MetricsReply;
  send(body: string): unknown;
}

/** `GET /metrics` in the Prometheus text format. */
@Controller('metrics')
export class MetricsController {
  constructor(@Inject(PROBE_SOURCE) private readonly source: ProbeSource) {}

  @Get()
  async metrics(@Res() reply: MetricsReply): Promise<void> {
    const { contentType, text } = await this.source.metrics();
    reply.header('content-type', contentType).send(text);
  }
}
