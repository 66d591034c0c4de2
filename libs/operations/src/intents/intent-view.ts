import type { IntentDetails, IntentView, RequestPreviewView } from '#contracts';
import type { RequestPreview } from '#gateway';
import { intentId } from '#intents';

import { maskEvidence, maskPersonal } from '../masking/mask-personal.js';
import { isoTime, isoTimeOrNull } from '../requests/read-request.js';
import type { ListedIntent } from './list-intents.js';
import type { IntentTimeline, TimelineEvent } from './timeline.js';

/** An intent as the API shows it. */
export function toIntentView(intent: ListedIntent): IntentView {
  const {
    program,
    memberId,
    seq,
    operation,
    status,
    reason,
    code,
    fingerprint,
    since,
    recordedAt,
    occurredAt,
    eventType,
    source,
  } = intent;
  const { storeId, purchaseId, amountMinor, currency, topic, partition, offset } = intent;
  return {
    id: intentId({ program, memberId, seq }),
    ...{ program, memberId, seq, operation, status, reason, code, fingerprint },
    since: isoTimeOrNull(since),
    recordedAt: isoTime(recordedAt),
    occurredAt: isoTime(occurredAt),
    ...{ eventType, source, storeId, purchaseId },
    amount: amountMinor === null ? null : { minor: amountMinor, currency },
    cause: { topic, partition, offset },
  };
}

type EventView = IntentDetails['events'][number];
type AttemptView = IntentDetails['attempts'][number];

function toEventView({ version, type, at, attempt, data, evidence }: TimelineEvent): EventView {
  return {
    version,
    type,
    at: isoTime(at),
    attempt: attempt === 0 ? null : attempt,
    data,
    evidence: evidence === null ? null : maskEvidence(evidence),
  };
}

const outcomes: ReadonlySet<string> = new Set([
  'AttemptApplied',
  'AttemptRejected',
  'AttemptNotApplied',
  'AttemptUnknown',
]);

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function timeOf(value: unknown): string | null {
  return typeof value === 'number' ? isoTime(value) : null;
}

type Ending = Pick<AttemptView, 'endedAt' | 'outcome' | 'code' | 'phase' | 'request' | 'response' | 'nextTryAt'>;

const underWay: Ending = {
  endedAt: null,
  outcome: null,
  code: null,
  phase: null,
  request: null,
  response: null,
  nextTryAt: null,
};

function endingOf({ type, at, data, evidence }: TimelineEvent): Ending {
  const { phase, request = null, response = null } = (evidence ?? {}) as Readonly<Record<string, unknown>>;
  return {
    endedAt: isoTime(at),
    outcome: type,
    code: textOf(data['code']),
    phase: textOf(phase),
    request: maskPersonal(request),
    response: maskPersonal(response),
    nextTryAt: timeOf(data['retryAt'] ?? data['checkAt']),
  };
}

/** An attempt put together from its events. */
function toAttempt(attempt: number, events: readonly TimelineEvent[]): AttemptView {
  const begun = events.find(({ type }) => type === 'AttemptBegun');
  const ended = events.find(({ type }) => outcomes.has(type));
  return {
    attempt,
    begunAt: timeOf(begun?.at),
    durationMs: begun === undefined || ended === undefined ? null : ended.at - begun.at,
    ...(ended === undefined ? underWay : endingOf(ended)),
  };
}

function attemptsOf(events: readonly TimelineEvent[]): AttemptView[] {
  const attempts = Map.groupBy(
    events.filter(({ attempt }) => attempt > 0),
    ({ attempt }) => attempt,
  );
  return [...attempts].map(([attempt, of]) => toAttempt(attempt, of));
}

/** An intent with its whole story; what is personal is masked. */
export function toIntentDetails(
  intent: ListedIntent,
  timeline: IntentTimeline,
  nextRequest: RequestPreviewView | null,
): IntentDetails {
  const { isErased, command, sourceRecord, traceparent, events } = timeline;
  return {
    ...toIntentView(intent),
    isErased,
    command: maskPersonal(command),
    nextRequest,
    sourceRecord:
      sourceRecord === null
        ? null
        : { headers: maskPersonal(sourceRecord.headers) as string, value: maskPersonal(sourceRecord.value) as string },
    traceId: traceparent?.split('-')[1] ?? null,
    events: events.map(toEventView),
    attempts: attemptsOf(events),
  };
}

function bodyOf(body: string | null): unknown {
  return body === null ? null : (maskPersonal({ body }) as { readonly body: unknown }).body;
}

/** A request as it would be made now, personal values masked. */
export function toPreviewView(preview: RequestPreview): RequestPreviewView {
  if (preview.kind === 'refused') return { method: '', path: '', body: null, problems: [...preview.problems] };
  const { method, path, body } = preview.request;
  return { method, path, body: bodyOf(body), problems: [] };
}
