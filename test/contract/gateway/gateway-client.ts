import type { ContractClient, ResolvedStep, Seen } from '../interpreter/contract-client.js';
import { wireRequest } from '../interpreter/contract-client.js';
import type { Names } from '../interpreter/names.js';
import { valueAt } from '../interpreter/names.js';
import type { ObservationName, Setup, Specification } from '../specification.js';
import type { GatewayAccess, RecordedExchange } from './gateway-line.js';
import { callMsMax, GatewayLine } from './gateway-line.js';
import { observe, wireDifferences } from './observations.js';
import type { GatewayAnswer } from './port-call.js';
import { portCalls } from './port-calls.js';

interface GatewayClientOptions extends GatewayAccess {
  readonly calls: Specification['calls'];
  readonly names: Names;
  readonly setup: Setup;
  /** Entries of the dialect file. */
  readonly dialect: Readonly<Record<string, unknown>> | null;
}

const options = { timeoutMs: callMsMax };

/** Says through our gateway what a row says, and looks at the wire whether the gateway said just that. */
export class GatewayClient implements ContractClient {
  readonly name = 'gateway';
  private last: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly parts: GatewayClientOptions,
    private readonly line: GatewayLine,
  ) {}

  static async open(parts: GatewayClientOptions): Promise<GatewayClient> {
    return new GatewayClient(parts, await GatewayLine.open(parts, parts.dialect));
  }

  perform(step: ResolvedStep): Promise<Seen> {
    return this.afterLast(() => this.performAlone(step));
  }

  /**
   * Scenes are played side by side, and a wire does not tell whose a request is: two answers at once on a busy machine were
   * one step's two requests, and the other's none.
   */
  private afterLast<T>(work: () => Promise<T>): Promise<T> {
    const next = this.last.then(work);
    this.last = next.catch(() => undefined);
    return next;
  }

  private async performAlone(step: ResolvedStep): Promise<Seen> {
    const portCall = portCalls[step.call];
    const partner = this.line.partner(portCall.dialectFor?.(step) ?? {});
    await this.line.take();
    const answer = await portCall.make(step, { partner, setup: this.parts.setup, options });
    const { calls, tokens } = await this.line.take();
    const recorded = step.call === 'token' ? tokens : calls;
    return step.gateway === 'unsent' ? unsent(answer, recorded) : this.seen(step, answer, recorded);
  }

  spell(expected: unknown): unknown {
    return this.parts.names.spell(expected);
  }

  observe(name: ObservationName): Promise<unknown> {
    return this.afterLast(() => this.observeAlone(name));
  }

  private observeAlone(name: ObservationName): Promise<unknown> {
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
