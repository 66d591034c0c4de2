import type { DialectInput, Gateway, Partner } from '#gateway';
import { createGateway, DialectRegistry } from '#gateway';
import { SystemClock } from '#platform';

import type { ContractClient, ResolvedStep, Seen } from '../interpreter/contract-client.js';
import { wireRequest } from '../interpreter/contract-client.js';
import { valueAt } from '../interpreter/judge-answer.js';
import type { Names } from '../interpreter/names.js';
import type { ObservationName, Setup, Specification } from '../specification.js';
import type { RecordedExchange } from './observations.js';
import { observe, RecordingProxy, wireDifferences } from './observations.js';
import type { GatewayAnswer } from './port-call.js';
import { portCalls } from './port-calls.js';

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

interface GatewayClientOptions extends GatewayAccess {
  readonly calls: Specification['calls'];
  readonly names: Names;
  readonly setup: Setup;
  /** Entries of the dialect file. */
  readonly dialect: Readonly<Record<string, unknown>> | null;
}

const options = { timeoutMs: 15_000 };

/** Says through our gateway what a row says, and looks at the wire whether the gateway said just that. */
export class GatewayClient implements ContractClient {
  readonly name = 'gateway';

  private constructor(
    private readonly parts: GatewayClientOptions,
    private readonly line: GatewayLine,
  ) {}

  static async open(parts: GatewayClientOptions): Promise<GatewayClient> {
    return new GatewayClient(parts, await GatewayLine.open(parts, parts.dialect));
  }

  async perform(step: ResolvedStep): Promise<Seen> {
    const portCall = portCalls[step.call];
    const partner = this.line.partner(portCall.dialectFor?.(step) ?? {});
    this.line.take();
    const answer = await portCall.make(step, { partner, setup: this.parts.setup, options });
    const { calls, tokens } = this.line.take();
    const recorded = step.call === 'token' ? tokens : calls;
    return step.gateway === 'unsent' ? unsent(answer, recorded) : this.seen(step, answer, recorded);
  }

  spell(expected: unknown): unknown {
    return this.parts.names.spell(expected);
  }

  observe(name: ObservationName): Promise<unknown> {
    const { setup } = this.parts;
    const lookup = { brandId: setup.brand, programId: setup.program, uniqueIdKey: setup.memberKey };
    const ask = async (): Promise<string> => {
      const report = await this.line.partner({}).findPass({ ...lookup, uniqueId: 'ct-nobody' }, options);
      return report.kind === 'failed' ? report.code : report.kind;
    };
    return observe(name, this.line, { access: this.parts, ask });
  }

  close(): Promise<void> {
    return this.line.close();
  }

  private seen(step: ResolvedStep, answer: GatewayAnswer, recorded: readonly RecordedExchange[]): Seen {
    const status = recorded.at(-1)?.answer?.status ?? null;
    const problems = [
      ...verdictProblems(answer.isYes, answer.verdict, status),
      ...answer.shapeAlarms.map((path) => `shape alarm: ${path}`),
      ...this.wireProblems(step, recorded),
    ];
    return { status, body: bodyOf(answer, recorded), problems };
  }

  private wireProblems(step: ResolvedStep, recorded: readonly RecordedExchange[]): string[] {
    if (step.call === 'token') return [];
    const { calls, names, baseUrl } = this.parts;
    const basePath = new URL(baseUrl).pathname.replace(/\/+$/, '');
    const expected = wireRequest(step, calls, names);
    return wireDifferences({ expected, recorded, basePath, mayAddQuery: step.call === 'list' });
  }
}

function unsent({ isYes }: GatewayAnswer, recorded: readonly RecordedExchange[]): Seen {
  const problems = recorded.length === 0 && !isYes ? [] : ['the gateway should have sent nothing'];
  return { status: null, body: undefined, problems };
}

/** What the port keeps to itself of a page, or of a listing's refusal, is read off the wire. */
function bodyOf({ verdict, body }: GatewayAnswer, recorded: readonly RecordedExchange[]): unknown {
  const answered = parse(recorded.at(-1)?.answer?.body);
  if (verdict === 'page') return { ...(body as object), pageSize: valueAt(answered, 'pageSize') };
  return body ?? answered;
}

/** The outcome must be the one that the status stands for (design.md section 6). */
function verdictProblems(isYes: boolean, verdict: string, status: number | null): string[] {
  const isSuccess = status !== null && status >= 200 && status < 300;
  if (isYes !== isSuccess) return [`the gateway says ${verdict} of status ${status ?? 'none'}`];
  return status === 400 && !fitsRefusal(verdict) ? [`the gateway says ${verdict} of a 400`] : [];
}

/** A 400 with a message is a definite no (design.md section 6). */
function fitsRefusal(verdict: string): boolean {
  return verdict === 'absent' || verdict === 'refused' || verdict.startsWith('rejected ');
}

function parse(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '') as unknown;
  } catch {
    return undefined;
  }
}

/** The service under test. */
export interface Target extends GatewayAccess {
  /** It is a wallet sandbox of ours: it has fault dials and a ledger, and may be called as fast as one can. */
  readonly isSandbox: boolean;
}
