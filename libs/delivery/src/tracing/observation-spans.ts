import type { SpanAttributes } from '#platform';
import { noTracer } from '#platform';

import type { DeliveryPorts } from '../delivery-ports.js';
import type { Observation } from '../engine/observation.js';

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

/** Tells what was recorded about an unknown outcome, or that an intent was parked, in the trace of the intent. */
export function traceObservation(
  { tracer = noTracer, clock }: Pick<DeliveryPorts, 'tracer' | 'clock'>,
  observation: Observation,
): void {
  if (!tracer.isOn) return;
  const moment = momentOf(observation);
  if (moment === null || observation.kind === 'fenced' || observation.kind === 'auto-paused') return;
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
