import { classifyOutcome } from '#domain';
import type { Clock } from '#platform';
import type { CompiledDialect, DialectRegistry } from '../dialect/dialect-registry.js';
import type { Dialect } from '../dialect/dialect-schema.js';
import type { OperationTarget, PartnerOperation } from '../operations/operation.js';
import type { AttemptReport, CallEvidence, CallOptions, RequestEvidence } from '../port/call.js';
import { isJsonObject } from './answer-body.js';
import type { AuthorizedClient, CallTrace } from './authorized-client.js';
import { attemptReading, callStage, INVALID_REQUEST, observeAnswer, responseEvidence } from './observe-answer.js';
import { InvalidRequest, type PlannedRequest } from './planned-request.js';

/** A call that only reads: what was sent, what came of it, by which dialect it is to be read. */
export interface Exchange {
  readonly compiled: CompiledDialect;
  readonly trace: CallTrace;
  readonly evidence: CallEvidence;
}

const NO_REQUEST: RequestEvidence = { method: '', path: '', body: null };

/** The report of a call that only reads, of whose input no request can be made. */
export const REFUSED_INPUT = {
  kind: 'failed',
  ...INVALID_REQUEST,
  evidence: { request: NO_REQUEST, response: null, durationMs: 0 },
} as const;

/** Sends planned requests and turns the answers into reports. */
export class Caller {
  constructor(
    private readonly client: AuthorizedClient,
    private readonly dialects: DialectRegistry,
    private readonly clock: Clock,
  ) {}

  dialectOf(target: OperationTarget): Dialect {
    return this.dialects.of(target).dialect;
  }

  /** A call that changes something. Resolves always, save for a programming error. */
  async attempt<Input extends OperationTarget, Value>(
    operation: PartnerOperation<Input, Value>,
    input: Input,
    options: CallOptions,
  ): Promise<AttemptReport<Partial<Value>>> {
    const compiled = this.dialects.of(input);
    const planned = planOrRefusal(() => operation.plan(input, compiled.dialect, this.clock.now()));
    if (planned instanceof InvalidRequest) return refusedInput(planned);
    const trace = await this.client.send(planned, options);
    const { observation, body } = observeAnswer(trace, attemptReading(operation, input, compiled));
    const outcome = classifyOutcome(observation);
    const isReadable = outcome.kind === 'applied' && isJsonObject(body?.json);
    const shape = isReadable ? operation.read(body.json, compiled.dialect) : { value: null, alarms: [] };
    return {
      outcome,
      stage: callStage(observation),
      phase: observation.phase,
      durationMs: trace.durationMs,
      request: evidenceOf(planned),
      response: responseEvidence(trace.seen),
      value: shape.value,
      shapeAlarms: shape.alarms,
    };
  }

  /** A call that only reads; the refused input where there is nothing to send. */
  async exchange(
    target: OperationTarget,
    plan: (dialect: Dialect) => PlannedRequest,
    options: CallOptions,
  ): Promise<Exchange | InvalidRequest> {
    const compiled = this.dialects.of(target);
    const planned = planOrRefusal(() => plan(compiled.dialect));
    if (planned instanceof InvalidRequest) return planned;
    const trace = await this.client.send(planned, options);
    const response = responseEvidence(trace.seen);
    return { compiled, trace, evidence: { request: evidenceOf(planned), response, durationMs: trace.durationMs } };
  }
}

function planOrRefusal(plan: () => PlannedRequest): PlannedRequest | InvalidRequest {
  try {
    return plan();
  } catch (error) {
    if (error instanceof InvalidRequest) return error;
    throw error;
  }
}

function evidenceOf({ method, path, body }: PlannedRequest): RequestEvidence {
  return { method, path, body };
}

/** It will never make a request: a person must look, instead of a lane trying for ever. */
function refusedInput(refusal: InvalidRequest): AttemptReport<never> {
  return {
    outcome: { kind: 'rejected', code: 'invalid-request', message: refusal.texts.join('; ') },
    stage: 'request',
    phase: 'not-sent',
    durationMs: 0,
    request: NO_REQUEST,
    response: null,
    value: null,
    shapeAlarms: refusal.problems.map(({ path }) => `request.${path}`),
  };
}
