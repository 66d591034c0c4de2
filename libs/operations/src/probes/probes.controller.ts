import { Controller, Get, HttpStatus, Req, Res } from '@nestjs/common';

import type { AdmittedRequest, ProgramLimit } from '../access/operator.js';
import { maySee } from '../access/operator.js';
import { ApiOperation, InPrograms, Public } from '../access/route-rules.js';

/** Answer of one probe: `problems` is empty when all is well; each names what is wrong, for people. */
export interface ProbeAnswer {
  readonly problems: readonly string[];
}

/** What a process can say about itself (contracts.md section 5). Neither partner nor rebalances make it unhealthy. */
export abstract class ProbeSource {
  /** The event loop turns, and work moves if work is due and Postgres answers. */
  abstract live(): ProbeAnswer;
  /** Configuration, schema, Postgres. */
  abstract ready(): Promise<ProbeAnswer>;
  /** The start has been completed. */
  abstract started(): ProbeAnswer;
  /** All metrics in the Prometheus text format. */
  abstract metrics(): Promise<{ readonly contentType: string; readonly text: string }>;
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
  constructor(private readonly source: ProbeSource) {}

  @Get('live')
  @Public()
  @ApiOperation({ summary: 'Probe: work moves. 503 with what is wrong' })
  live(@Res({ passthrough: true }) reply: HealthReply): HealthBody {
    return answer(this.source.live(), reply);
  }

  @Get('ready')
  @Public()
  @ApiOperation({ summary: 'Probe: requests can be answered. 503 with what is wrong' })
  async ready(@Res({ passthrough: true }) reply: HealthReply): Promise<HealthBody> {
    return answer(await this.source.ready(), reply);
  }

  @Get('startup')
  @Public()
  @ApiOperation({ summary: 'Probe: the start is completed. 503 with what is wrong' })
  startup(@Res({ passthrough: true }) reply: HealthReply): HealthBody {
    return answer(this.source.started(), reply);
  }
}

/** A series in the Prometheus text format that has labels; a label's value has its quotes and backslashes escaped. */
const labelled = /^[\w:]+\{(.*)\} /;
const label = /(\w+)="((?:[^"\\]|\\.)*)",?/y;
const escapes: Readonly<Record<string, string>> = { n: '\n' };

/** Of which program a series is, by its label; null: it has none. */
function programOfSeries(line: string): string | null {
  const [, labels = ''] = labelled.exec(line) ?? [];
  label.lastIndex = 0;
  for (let found = label.exec(labels); found !== null; found = label.exec(labels)) {
    const [, name, value = ''] = found;
    if (name === 'program') return value.replace(/\\(.)/g, (_, char: string) => escapes[char] ?? char);
  }
  return null;
}

/** Only what is of these programs, by its label `program`, and how it is described. Lines of all others are left out. */
function metricsOf(text: string, limit: ProgramLimit): string {
  if (limit === null) return text;
  const lines = text.split('\n').filter((line) => line.startsWith('# ') || maySee(limit, programOfSeries(line)));
  return `${lines.join('\n')}\n`;
}

/** The part of the HTTP answer that is needed here, whatever the server. */
interface MetricsReply {
  header(name: string, value: string): MetricsReply;
  send(body: Buffer): unknown;
}

/** `GET /metrics` in the Prometheus text format. */
@Controller('metrics')
export class MetricsController {
  /** As long as the text stays the same everybody is sent the same bytes, by their programs. */
  private made: { readonly text: string; readonly bytes: Map<string, Buffer> } = { text: '', bytes: new Map() };

  constructor(private readonly source: ProbeSource) {}

  @Get()
  @Public({ isMetrics: true })
  @InPrograms('filtered')
  @ApiOperation({ summary: 'Prometheus metrics', textType: 'text/plain' })
  async metrics(@Req() { operator }: AdmittedRequest, @Res() reply: MetricsReply): Promise<void> {
    const { contentType, text } = await this.source.metrics();
    reply.header('content-type', contentType).send(this.bytesFor(text, operator?.programs ?? null));
  }

  private bytesFor(text: string, limit: ProgramLimit): Buffer {
    if (text !== this.made.text) this.made = { text, bytes: new Map() };
    const key = JSON.stringify(limit);
    const bytes = this.made.bytes.get(key) ?? Buffer.from(metricsOf(text, limit));
    this.made.bytes.set(key, bytes);
    return bytes;
  }
}
