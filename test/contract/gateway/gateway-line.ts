import { createGateway, DialectRegistry, type DialectInput, type Gateway, type Partner } from '#gateway';
import { SystemClock } from '#platform';
import { type RecordedExchange, RecordingProxy } from './recording-proxy.js';

export interface GatewayAccess {
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope: string;
}

/** Gateways behind two recording proxies: one per dialect that is asked for, all of them on the same wire. */
export class GatewayLine {
  private readonly gateways = new Map<string, Gateway>();
  /** Of the last token, as the gateway understood it; null before the first. */
  lifetimeMs: number | null = null;

  private constructor(
    private readonly access: GatewayAccess,
    private readonly dialect: Readonly<Record<string, unknown>> | null,
    private readonly proxies: { readonly base: RecordingProxy; readonly auth: RecordingProxy },
  ) {}

  static async open(access: GatewayAccess, dialect: Readonly<Record<string, unknown>> | null): Promise<GatewayLine> {
    const base = await RecordingProxy.start(access.baseUrl);
    return new GatewayLine(access, dialect, { base, auth: await RecordingProxy.start(access.authUrl) });
  }

  /** @param overrides laid over the dialect of the run */
  partner(overrides: DialectInput): Partner {
    const key = JSON.stringify(overrides);
    const gateway = this.gateways.get(key) ?? this.connect(overrides);
    this.gateways.set(key, gateway);
    return gateway.partner;
  }

  /** What passed since it was last asked: calls of section 4, and token requests. */
  take(): { readonly calls: RecordedExchange[]; readonly tokens: RecordedExchange[] } {
    return { calls: this.proxies.base.take(), tokens: this.proxies.auth.take() };
  }

  spoilTokens(count: number): void {
    this.proxies.base.spoilTokens(count);
  }

  /** A gateway that has no token yet. */
  async forget(): Promise<void> {
    await Promise.all([...this.gateways.values()].map((gateway) => gateway.close()));
    this.gateways.clear();
  }

  async close(): Promise<void> {
    await this.forget();
    await Promise.all([this.proxies.base.close(), this.proxies.auth.close()]);
  }

  private connect(overrides: DialectInput): Gateway {
    const { baseUrl, authUrl, clientId, clientSecret, scope } = this.access;
    return createGateway({
      baseUrl: this.proxies.base.urlOf(baseUrl),
      authUrl: this.proxies.auth.urlOf(authUrl),
      scope,
      readCredentials: () => ({ clientId, clientSecret }),
      dialects: new DialectRegistry({ file: overlay(this.dialect ?? {}, overrides), programs: [] }),
      clock: new SystemClock(),
      tokenObserver: {
        obtained: ({ lifetimeMs }) => (this.lifetimeMs = lifetimeMs),
        failed: () => undefined,
      },
    });
  }
}

type Layer = Readonly<Record<string, unknown>>;

function overlay(below: Layer, above: Layer): Layer {
  const merged = Object.entries(above).map(([key, value]) => {
    const under = below[key];
    return [key, isLayer(under) && isLayer(value) ? overlay(under, value) : value];
  });
  return { ...below, ...(Object.fromEntries(merged) as Layer) };
}

function isLayer(value: unknown): value is Layer {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
