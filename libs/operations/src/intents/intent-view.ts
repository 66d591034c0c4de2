import type { IntentDetails, IntentView, RequestPreviewView } from '#contracts';
import { scriptsOf } from '#contracts';
import type { RequestPreview } from '#gateway';
import { intentId } from '#intents';

import { mask } from '../masking/mask-personal.js';
import type { KnownNames } from '../masking/shown-documents.js';
import { commandShape, evidenceShape, maskRecord, requestShape, shownParts } from '../masking/shown-documents.js';
import { isoTime, isoTimeOrNull } from '../requests/read-request.js';
import type { ListedIntent } from './list-intents.js';
import { toMoneyView } from './money-view.js';
import { routeRule } from './route-rule.js';
import type { IntentTimeline, TimelineEvent } from './timeline.js';

/** Null where the event named no amount. */
export function toAmountView({ amount, currency }: Pick<ListedIntent, 'amount' | 'currency'>): IntentView['amount'] {
  return amount === null || currency === null ? null : toMoneyView(amount, currency);
}

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
  const { storeId, purchaseId, topic, partition, offset, attemptCount } = intent;
  return {
    id: intentId({ program, memberId, seq }),
    ...{ program, memberId, seq, operation, status, reason, code, fingerprint },
    ...scriptsOf(program, memberId, storeId, purchaseId, source),
    since: isoTimeOrNull(since),
    recordedAt: isoTime(recordedAt),
    occurredAt: isoTime(occurredAt),
    ...{ eventType, source, storeId, purchaseId, attemptCount },
    amount: toAmountView(intent),
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
    evidence: mask(evidence, evidenceShape),
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
  const shown = (mask(evidence, evidenceShape) ?? {}) as Readonly<Record<string, unknown>>;
  const { phase, request = null, response = null } = shown;
  return {
    endedAt: isoTime(at),
    outcome: type,
    code: textOf(data['code']),
    phase: textOf(phase),
    request,
    response,
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

type SourceRecord = NonNullable<IntentDetails['sourceRecord']>;

/** A record that became an intent, masked. */
export function shownRecord(record: SourceRecord, names: KnownNames): SourceRecord {
  const { headers, value } = maskRecord(record, names);
  return { headers, value: value ?? '' };
}

/** An intent with its whole story; what is personal is masked. @param programsHash of the file in force */
export function toIntentDetails(
  intent: ListedIntent,
  timeline: IntentTimeline,
  nextRequest: RequestPreviewView | null,
  { names, programsHash }: { readonly names: KnownNames; readonly programsHash: string },
): IntentDetails {
  const { isErased, command, sourceRecord, traceparent, events } = timeline;
  return {
    ...toIntentView(intent),
    isErased,
    command: mask(shownParts(command), commandShape),
    route: {
      rule: routeRule(intent.eventType, intent.operation),
      programsHash: timeline.programsHash,
      isInForce: timeline.programsHash === programsHash,
      brokerAt: isoTime(timeline.brokerAt),
    },
    nextRequest,
    sourceRecord: sourceRecord === null ? null : shownRecord(sourceRecord, names),
    traceId: traceparent?.split('-')[1] ?? null,
    events: events.map(toEventView),
    attempts: attemptsOf(events),
  };
}

/** A request as it would be made now, personal values masked. */
export function toPreviewView(preview: RequestPreview): RequestPreviewView {
  if (preview.kind === 'refused') return { method: '', path: '', body: null, problems: [...preview.problems] };
  const { method, path, body } = preview.request;
  return { ...(mask({ method, path, body }, requestShape) as typeof preview.request), problems: [] };
}
