import { createHash, createHmac } from 'node:crypto';

import { Module } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';

import type { ProducerToken } from '#contracts';
import { createHttpServer } from '#daemon';
import type { DoorResult, DoorSource } from '#door';
import { doorLimits, DoorModule, DoorSettings, DoorSources } from '#door';
import type { KafkaConnection } from '#kafka';
import { KafkaDriver } from '#kafka';
import { AccessSettings, admitBeforeBodies, ProblemFilter } from '#operations';
import { Clock, Logger, SystemClock } from '#platform';

const digestOf = (token: string): string => createHash('sha256').update(token).digest('hex');

/** `admin-token` is an operator's. */
const operators = [{ name: 'ada', role: 'admin' as const, sha256: digestOf('admin-token') }];

interface ShopDoorOptions {
  readonly connection: () => KafkaConnection;
  readonly sources: readonly DoorSource[];
  /** By name, each with the token `NAME-token`. */
  readonly producers: readonly Omit<ProducerToken, 'sha256'>[];
  readonly logger: Logger;
  readonly limits?: Partial<typeof doorLimits>;
  /** In place of the one that connects. */
  readonly driver?: KafkaDriver;
}

interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly method?: string;
}

export interface DoorAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body where it is JSON; else it is empty. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** The door over HTTP, as a process with that role alone serves it. */
export class ShopDoor {
  private constructor(
    private readonly app: NestFastifyApplication,
    readonly url: string,
    /** Source, result and how many. */
    readonly counted: readonly (readonly [string | null, DoorResult, number])[],
  ) {}

  static async open(options: ShopDoorOptions): Promise<ShopDoor> {
    const { connection, sources, producers, logger, limits = {}, driver } = options;
    const clock = new SystemClock();
    const tokens = producers.map((producer) => ({ ...producer, sha256: digestOf(`${producer.name}-token`) }));
    const access: AccessSettings = {
      ...{ tokens: () => operators, producers: () => tokens, oidc: null, isReadOnly: false },
      ...{ metrics: 'open', trustedProxies: [], clock },
    };
    const counted: (readonly [string | null, DoorResult, number])[] = [];
    const settings: DoorSettings = {
      connection,
      limits: { ...doorLimits, ...limits },
      counted: (...result) => counted.push(result),
      underWay: () => undefined,
    };
    const ports = [
      { provide: DoorSettings, useValue: settings },
      { provide: DoorSources, useValue: { current: () => sources } },
      { provide: AccessSettings, useValue: access },
      { provide: Clock, useValue: clock },
      { provide: Logger, useValue: logger },
    ];
    @Module({ providers: ports, exports: ports })
    class PortsModule {}
    const { adapter, connections } = createHttpServer('/');
    admitBeforeBodies(adapter, access, connections);
    const builder = Test.createTestingModule({ imports: [DoorModule.forRoot([PortsModule])] });
    if (driver !== undefined) builder.overrideProvider(KafkaDriver).useValue(driver);
    const app = (await builder.compile()).createNestApplication<NestFastifyApplication>(adapter, { logger: false });
    app.useGlobalFilters(new ProblemFilter(logger));
    await app.listen(0, '127.0.0.1');
    return new ShopDoor(app, await app.getUrl(), counted);
  }

  async close(): Promise<void> {
    await this.app.close();
  }

  async send(path: string, { headers = {}, body, method = 'POST' }: Sent = {}): Promise<DoorAnswer> {
    const answer = await fetch(`${this.url}/api/v1${path}`, {
      ...{ method, headers, redirect: 'error' },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : new Uint8Array(body) }),
    });
    const text = await answer.text();
    const isJson = answer.headers.get('content-type')?.includes('json') === true;
    const read = isJson ? (JSON.parse(text) as DoorAnswer['body']) : {};
    return { status: answer.status, headers: answer.headers, text, body: read };
  }

  /** As a vendor does that signs as Shopify. */
  async hook(source: string, secret: string, body: string, more: Sent['headers'] = {}): Promise<DoorAnswer> {
    const signature = createHmac('sha256', secret).update(body).digest('base64');
    const headers = { 'content-type': 'application/json', 'x-shopify-hmac-sha256': signature, ...more };
    return this.send(`/hooks/${source}`, { headers, body });
  }
}
