import type { AttemptReport } from '#gateway';
import { noTracer } from '#platform';
import { RecordingTracer } from '#test-support';

import type { PartnerCall } from './engine/messages.js';
import type { Observation } from './engine/observation.js';
import { applied, commandOf, startAt } from './testing/engine-harness.js';
import { CallSpans, traceObservation } from './tracing.js';

const recordedIn = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;

const origin = {
  seq: 4,
  attempt: 2,
  purpose: 'send',
  claimedAt: startAt - 5,
  traceparent: recordedIn,
  isReplay: false,
};
const call = {
  ...{ program: 'coffee-club', laneId: 7, epoch: 1, command: commandOf('transaction') },
  origin,
} as PartnerCall;

function calls(): { readonly spans: CallSpans; readonly tracer: RecordingTracer } {
  const tracer = new RecordingTracer();
  const clock = { now: () => startAt } as never;
  return { tracer, spans: new CallSpans({ clock, tracer }) };
}

const lost: AttemptReport<unknown> = {
  ...applied,
  outcome: { kind: 'unknown', code: 'timeout', retryAfterMs: null },
  phase: 'sent',
  response: null,
};

describe('the spans of a call', () => {
  it('go on from the trace of the intent: how long it was ours, then the call', () => {
    const { spans, tracer } = calls();
    spans.attempted(spans.attempt(call), applied);
    const [claim, attempt] = tracer.spans;
    expect(claim).toMatchObject({ name: 'claim', parent: recordedIn, at: startAt - 5, ended: { at: startAt } });
    expect(attempt).toMatchObject({
      ...{ name: 'transaction', kind: 'client', parent: claim?.traceparent },
      attributes: {
        'loyaltyd.program': 'coffee-club',
        'loyaltyd.attempt': 2,
        'loyaltyd.lane_id': 7,
        'loyaltyd.seq': 4,
      },
      ended: { isError: false, attributes: { 'loyaltyd.outcome': 'applied' } },
    });
    expect(JSON.stringify(tracer.spans)).not.toContain(call.command.uniqueId);
  });

  it('say that an outcome is unknown', () => {
    const { spans, tracer } = calls();
    spans.attempted(spans.attempt(call), lost);
    expect(tracer.spans[1]).toMatchObject({
      events: [['outcome unknown', { 'loyaltyd.code': 'timeout', 'loyaltyd.phase': 'sent' }]],
      ended: { isError: true },
    });
  });

  it('begin a trace of their own, with a link, when a person has put the intent back', () => {
    const { spans, tracer } = calls();
    spans.attempt({ ...call, origin: { ...call.origin, isReplay: true } });
    expect(tracer.spans[0]).toMatchObject({ parent: null, links: [recordedIn] });
  });

  it('are nothing where nothing is traced', () => {
    const spans = new CallSpans({ clock: {} as never, tracer: noTracer });
    const span = spans.attempt(call);
    spans.attempted(span, lost);
    expect(span.traceId).toBeNull();
  });
});

describe('the trace of what no call stands for', () => {
  const about = { program: 'coffee-club', memberId: 'm-1', laneId: 7, seq: 4, operation: 'reward' } as const;
  const resolved: Observation = {
    kind: 'resolved',
    ...about,
    attempt: 1,
    resolution: 'points',
    sinceBrokerMs: 9,
    status: 'delivered',
    traceparent: recordedIn,
  };

  it('tells how an unknown outcome was settled, and that an intent was parked', () => {
    const tracer = new RecordingTracer();
    const ports = { tracer, clock: { now: () => startAt } as never };
    traceObservation(ports, resolved);
    traceObservation(ports, { kind: 'parked', ...about, reason: 'unknown-outcome' });
    traceObservation(ports, { kind: 'fenced', program: 'coffee-club', laneId: 7 });
    expect(tracer.spans).toMatchObject([
      { name: 'resolve', parent: recordedIn, events: [['outcome resolved', { 'loyaltyd.resolution': 'points' }]] },
      { name: 'park', parent: null, events: [['parked', { 'loyaltyd.reason': 'unknown-outcome' }]] },
    ]);
    expect(JSON.stringify(tracer.spans)).not.toContain('m-1');
  });
});
