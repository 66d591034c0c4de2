import type { IncomingHttpHeaders, Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

type OtlpValue = Readonly<Partial<Record<'stringValue' | 'intValue' | 'doubleValue' | 'boolValue', unknown>>>;

interface OtlpAttribute {
  readonly key: string;
  readonly value: OtlpValue;
}

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes?: readonly OtlpAttribute[];
  readonly events?: readonly { readonly name: string; readonly attributes?: readonly OtlpAttribute[] }[];
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status?: { readonly code?: number };
}

interface OtlpExport {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly OtlpAttribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

type Attributes = Readonly<Record<string, unknown>>;

/** A span as it arrived. Kinds: 1 internal, 3 client, 5 consumer. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly name: string;
  readonly kind: number;
  readonly durationMs: number;
  readonly attributes: Attributes;
  readonly events: readonly { readonly name: string; readonly attributes: Attributes }[];
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly isError: boolean;
  readonly resource: Attributes;
}

const errorStatus = 2;
const nanosPerMs = 1_000_000n;

function attributesOf(attributes: readonly OtlpAttribute[] = []): Attributes {
  // Whole numbers may come as text: JSON's are too narrow for them.
  const valueOf = (value: OtlpValue): unknown =>
    value.intValue === undefined ? Object.values(value)[0] : Number(value.intValue);
  return Object.fromEntries(attributes.map(({ key, value }) => [key, valueOf(value)]));
}

function toSpan(span: OtlpSpan, resource: Attributes): ReceivedSpan {
  const { traceId, spanId, parentSpanId, name, kind, links = [], events = [] } = span;
  const nanos = BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano);
  return {
    ...{ traceId, spanId, name, kind, resource },
    parentSpanId: parentSpanId === undefined || parentSpanId === '' ? null : parentSpanId,
    durationMs: Number(nanos / nanosPerMs),
    attributes: attributesOf(span.attributes),
    events: events.map((event) => ({ name: event.name, attributes: attributesOf(event.attributes) })),
    links: links.map((link) => ({ traceId: link.traceId, spanId: link.spanId })),
    isError: span.status?.code === errorStatus,
  };
}

/** A tracing system that keeps what it is sent: OTLP over HTTP, JSON. `isSilent`: it takes everything and never answers. */
export class OtlpReceiver {
  private readonly bodies: string[] = [];
  private readonly headers: IncomingHttpHeaders[] = [];

  private constructor(private readonly server: Server) {}

  static async open({ isSilent = false }: { readonly isSilent?: boolean } = {}): Promise<OtlpReceiver> {
    const receiver: OtlpReceiver = new OtlpReceiver(
      createServer((request, response) => {
        let body = '';
        request.setEncoding('utf8').on('data', (chunk) => (body += String(chunk)));
        request.on('end', () => {
          receiver.headers.push(request.headers);
          receiver.bodies.push(body);
          if (!isSilent) response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
        });
      }),
    );
    await new Promise<void>((resolve) => receiver.server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  /** For `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  get endpoint(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Everything that arrived, as it was sent. */
  get text(): string {
    return this.bodies.join('\n');
  }

  get exports(): number {
    return this.bodies.length;
  }

  /** Values of one header, of every export. */
  headerValues(name: string): unknown[] {
    return this.headers.map((headers) => headers[name]);
  }

  get spans(): ReceivedSpan[] {
    return this.bodies.flatMap((body) =>
      (JSON.parse(body) as OtlpExport).resourceSpans.flatMap(({ resource, scopeSpans }) =>
        scopeSpans.flatMap(({ spans }) => spans.map((span) => toSpan(span, attributesOf(resource.attributes)))),
      ),
    );
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
