import type { AttemptReport, LookupReport } from '#gateway';
import type { Clock, Span, SpanAttributes, Tracer } from '#platform';
import { noSpan, noTracer } from '#platform';

import type { PartnerCall } from './engine/messages.js';
import type { Observation } from './engine/observation.js';

interface TracePorts {
  readonly clock: Pick<Clock, 'now'>;
  /** Absent: nothing is traced. */
  readonly tracer?: Tracer;
}

/** The attributes of a call's span; the lane and its number stand for the member, as in the log. */
function attributesOf({ program, laneId, command, origin }: PartnerCall): SpanAttributes {
  return {
    'loyaltyd.program': program,
    'loyaltyd.operation': command.operation,
    'loyaltyd.lane_id': laneId,
    'loyaltyd.seq': origin.seq,
    'loyaltyd.attempt': origin.attempt,
  };
}

/** Calls to the partner as spans (kind client) of the trace that their intent was recorded in. */
export class CallSpans {
  private readonly tracer: Tracer;

  constructor(private readonly ports: TracePorts) {
    this.tracer = ports.tracer ?? noTracer;
  }

  /** The attempt, below a span that shows how long its lane had been held; what was requeued begins a trace of its own. */
  attempt(call: PartnerCall): Span {
    if (!this.tracer.isOn) return noSpan;
    const { traceparent = null, claimedAt, isReplay } = call.origin;
    const at = this.ports.clock.now();
    const attributes = attributesOf(call);
    const of = isReplay ? { parent: null, links: traceparent === null ? [] : [traceparent] } : { parent: traceparent };
    const replay: SpanAttributes = isReplay ? { 'loyaltyd.replay': true } : {};
    const claim = this.tracer.begin({
      ...of,
      name: 'claim',
      kind: 'internal',
      attributes: { ...attributes, ...replay },
      at: claimedAt ?? at,
    });
    claim.end(at);
    const { operation } = call.command;
    return this.tracer.begin({ name: operation, kind: 'client', parent: claim.traceparent, attributes, at });
  }

  attempted(span: Span, { outcome, phase, response }: AttemptReport<unknown>): void {
    if (span === noSpan) return;
    const at = this.ports.clock.now();
    const code = outcome.kind === 'applied' ? 'applied' : outcome.code;
    if (outcome.kind === 'unknown') {
      span.event('outcome unknown', { 'loyaltyd.code': code, 'loyaltyd.phase': phase }, at);
    }
    span.end(at, {
      attributes: {
        'loyaltyd.outcome': outcome.kind,
        'loyaltyd.code': code,
        'loyaltyd.phase': phase,
        ...(response === null ? {} : { 'http.response.status_code': response.status }),
      },
      isError: outcome.kind !== 'applied',
    });
  }

  lookup(call: PartnerCall): Span {
    if (!this.tracer.isOn) return noSpan;
    const attributes = { ...attributesOf(call), 'loyaltyd.purpose': call.origin.purpose };
    const parent = call.origin.traceparent ?? null;
    return this.tracer.begin({ name: 'lookup', kind: 'client', parent, attributes, at: this.ports.clock.now() });
  }

  lookedUp(span: Span, report: LookupReport): void {
    if (span === noSpan) return;
    const code: SpanAttributes = report.kind === 'failed' ? { 'loyaltyd.code': report.code } : {};
    const attributes = { 'loyaltyd.result': report.kind, ...code };
    span.end(this.ports.clock.now(), { attributes, isError: report.kind === 'failed' });
  }
}

/** A moment of an intent's life that no call stands for: a span without duration, with the event in it. */
interface Moment {
  readonly name: string;
  readonly event: string;
  readonly attributes: SpanAttributes;
  readonly isError: boolean;
}

function momentOf(observation: Observation): Moment | null {
  switch (observation.kind) {
    case 'fenced':
    case 'auto-paused':
    case 'auto-resumed':
      return null;
    case 'resolved':
      return resolution(observation.resolution);
    case 'parked':
      return { name: 'park', event: 'parked', attributes: { 'loyaltyd.reason': observation.reason }, isError: true };
    case 'attempt':
      if (observation.resolution !== null) return resolution(observation.resolution);
      return observation.phase === 'lost' ? lostWorker(observation.code) : null;
  }
}

function resolution(how: string): Moment {
  return { name: 'resolve', event: 'outcome resolved', attributes: { 'loyaltyd.resolution': how }, isError: false };
}

function lostWorker(code: string): Moment {
  return { name: 'resolve', event: 'outcome unknown', attributes: { 'loyaltyd.code': code }, isError: true };
}

/** Shows what was recorded about an unknown outcome, or that an intent was parked, in the trace of the intent. */
export function traceObservation({ tracer = noTracer, clock }: TracePorts, observation: Observation): void {
  if (!tracer.isOn) return;
  const moment = momentOf(observation);
  if (moment === null || !('seq' in observation)) return;
  const at = clock.now();
  const { program, operation, laneId, seq, traceparent: parent = null } = observation;
  const span = tracer.begin({
    name: moment.name,
    kind: 'internal',
    parent,
    attributes: {
      'loyaltyd.program': program,
      'loyaltyd.operation': operation,
      'loyaltyd.lane_id': laneId,
      'loyaltyd.seq': seq,
    },
    at,
  });
  span.event(moment.event, moment.attributes, at);
  span.end(at, { isError: moment.isError });
}
