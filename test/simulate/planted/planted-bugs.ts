import type { HttpRequest, HttpResult } from '#gateway';
import type { CloudEvent, Sent } from '#shop';

import type { ProgramSketch, Trade } from '../world/scenario.js';
import type { PlantedBug } from './planted-bug.js';
import { inAnswers, inPolicy, inSql, turned, unless, unread } from './planting.js';

interface Carried {
  readonly attributes?: Readonly<Record<string, string>>;
  readonly passdata?: { readonly metaData?: { readonly memberId?: string } };
}

/** What a body carries; nothing where it is no JSON object. */
function carried(body: string | null): Carried {
  try {
    return (JSON.parse(body ?? '') as Carried | null) ?? {};
  } catch {
    return {};
  }
}

/** Another member's pass is read as if it were the one that was asked for. */
function asIfAsked({ path, body }: HttpRequest, result: HttpResult): HttpResult {
  const asked = new URLSearchParams(path.split('?')[1]).get('unique_id') ?? carried(body).passdata?.metaData?.memberId;
  const answer = carried(result.body.toString('utf8'));
  if (result.status !== 200 || answer.passdata?.metaData === undefined || asked === undefined) return result;
  const own = { ...answer, passdata: { ...answer.passdata, metaData: { memberId: asked } } };
  return { ...result, body: Buffer.from(JSON.stringify(own)) };
}

/** A member without a pass is read as one with a pass. */
function asIfFound({ method, path }: HttpRequest, result: HttpResult): HttpResult {
  const asked = new URLSearchParams(path.split('?')[1]).get('unique_id');
  if (method !== 'GET' || asked === null || (result.status !== 400 && result.status !== 404)) return result;
  const pass = { passId: 1, serialNumber: 'SN1', passdata: { metaData: { memberId: asked } } };
  return { ...result, status: 200, body: Buffer.from(JSON.stringify(pass)) };
}

/** Of a refusal only that it calls a receipt a duplicate. */
function asIfDone({ body }: HttpRequest, result: HttpResult): HttpResult {
  const { attributes = {} } = carried(body);
  const receipt = Object.values(attributes).find((value) => result.body.toString('utf8').includes(value));
  const isRefused = (result.status ?? 0) >= 400 && (result.status ?? 0) < 500;
  if (!isRefused || receipt === undefined) return result;
  return { ...result, body: Buffer.from(JSON.stringify({ message: `Attribute receipt must be unique: ${receipt}` })) };
}

const believesAll = {
  success: {
    statuses: '2xx',
    proof: {
      issue: 'object',
      'issue-via-workflow': 'object',
      'update-via-workflow': 'object',
      transaction: 'object',
      reward: 'object',
    },
  },
} as const;
const resendsAll = { issue: 'resend', update: 'resend', transaction: 'resend', reward: 'resend' } as const;

/** Mistakes about what is taken back. */
const takingBack: readonly PlantedBug[] = [
  inSql(
    {
      name: 'early-void-forgotten',
      what: 'a void or revocation of what is not known yet is dropped',
      seenIn: 24,
    },
    ...unless(({ type, data }) => `${type} IN ('IntentCancelled', 'IntentParked') AND ${data} ? 'cause'`),
  ),
  inSql(
    {
      name: 'voided-sent-again',
      what: 'what was voided under way or in doubt is sent again',
      seenIn: 1,
      world: turned({
        weather: { 'drop-after': 0.5, 'error-after': 0.3, 'partner-slow': 0.5 },
        sketch: { inFlightMs: 20_000, onUnknown: resendsAll, sendsVoids: true },
        trade: { dials: { enrolsLate: 0, neverEnrols: 0, late: 0, often: { voids: 60, buys: 80 } } },
      }),
    },
    unread(`e.type = 'CancelRequested'`),
  ),
  inSql(
    {
      name: 'refund-finds-nothing',
      what: 'a refund does not find its purchase, and is posted',
      seenIn: 8,
      world: turned({
        sketch: { refundUnknown: 'park' },
        trade: { dials: { returnsVoided: true, often: { voids: 20, returns: 30 } } },
      }),
    },
    {
      name: 'insert_intents',
      from: 'dedup_key, waits_for_seq, waits_for_key, payload, store_id, purchase_id,',
      to: 'dedup_key, NULL::int, NULL::bytea, payload, store_id, purchase_id,',
    },
  ),
  inSql(
    {
      name: 'receipt-forgets',
      what: 'what came back of a receipt already is not counted',
      seenIn: 1,
      world: turned({
        sketch: { refundUnknown: 'park' },
        trade: { dials: { returnsVoided: true, often: { voids: 20, returns: 30 } } },
      }),
    },
    {
      name: 'find_receipts',
      from: 'THEN amount_now(i.lane_id, i.seq, i.amount) ELSE (SELECT COALESCE(sum(',
      to: 'THEN 0 ELSE (SELECT 0 * COALESCE(sum(',
    },
  ),
  inSql(
    {
      name: 'correction-forgotten',
      what: 'a sale whose total was corrected in time is sent by the old one',
      seenIn: 1,
      world: turned({ trade: { dials: { corrected: 0.9, often: { buys: 60 } } } }),
    },
    ...unless(({ type, data }) => `${type} = 'IntentCorrected' AND ${data} ->> 'reason' = 'corrected'`),
  ),
];

const correctsByHand: PlantedBug['world'] = turned({
  moments: { 'corrected-by-hand': 20 },
  sketch: { sendsVoids: true },
  trade: { dials: { returnsVoided: true, often: { voids: 20, returns: 25, buys: 50 } } },
});

/** Mistakes about what a person has corrected. */
const corrected: readonly PlantedBug[] = [
  inSql(
    {
      name: 'hand-not-read',
      what: 'what a person has corrected is sent as it was told',
      seenIn: 1,
      world: correctsByHand,
    },
    unread(`e.type = 'IntentCorrected' AND e.data->>'by' = 'sim'`),
  ),
  inSql(
    {
      name: 'hand-not-counted',
      what: 'what comes back of a sale is counted against what it was told as, not against what a person has corrected it to',
      seenIn: 1,
      world: correctsByHand,
    },
    {
      name: 'find_receipts',
      from: 'amount_now(i.lane_id, i.seq, i.amount)::text AS sold',
      to: 'i.amount::text AS sold',
    },
  ),
];

const atMarkets: PlantedBug['world'] = turned({
  sketch: { market: {}, sendsVoids: true },
  trade: { dials: { markets: 0.7, often: { exchanges: 30, errsAtMarkets: 20, buys: 40, returns: 15 } } },
});

const readBy = (
  known: { readonly name: string; readonly what: string },
  market: NonNullable<ProgramSketch['market']>,
): PlantedBug => inPolicy({ ...known, seenIn: 1, world: atMarkets }, (sketch) => ({ ...sketch, market }));

/** Mistakes about receipts of a form of their own, which a map reads. */
const mapping: readonly PlantedBug[] = [
  readBy({ name: 'exchange-halved', what: 'of an exchange only what was sold is taken' }, { by: 'halves' }),
  readBy({ name: 'one-identity', what: 'the two events of one record have one identity' }, { by: 'one-identity' }),
  readBy({ name: 'cent-lost', what: 'a map computes, and a cent is lost' }, { by: 'a-cent-less' }),
  readBy({ name: 'unknown-kind-passes', what: 'what a map does not know counts as nothing' }, { by: 'lets-pass' }),
  readBy({ name: 'source-says-all', what: 'a source may say what it was not declared for' }, { mayAll: true }),
];

/** What is given once for a campaign, under whichever number. */
const numbers: readonly PlantedBug[] = [
  inSql(
    {
      name: 'number-by-number',
      what: 'what is given once is taken back once for each number that it was granted under',
      seenIn: 9_700_003,
      world: turned({
        sketch: { givesOnce: true, sendsRevocations: true },
        trade: { dials: { often: { earns: 120, revokes: 50, buys: 10 } } },
      }),
    },
    { name: 'is_taken_back', from: 'SELECT EXISTS (', to: 'SELECT false AND EXISTS (' },
  ),
];

/** The event that is sent, with other parts; null where it is not of this kind. */
function toldBesides(sent: Sent, name: Sent['name'], change: (event: CloudEvent) => Partial<CloudEvent>): Sent | null {
  const { content } = sent;
  if (sent.name !== name || sent.part !== null || content.kind !== 'event') return null;
  const { sequence: _number, ...event } = content.event;
  return { ...sent, content: { kind: 'event', event: { ...event, ...change(event) } }, fate: 'open' };
}

type Besides = NonNullable<Trade['besides']>;

/** A till that counts in tenths of a cent, and says so. */
const inTenths: Besides = (sent) => {
  const tenths = toldBesides(sent, 'purchase.completed', ({ id, data }) => ({
    id: `${id}-tenths`,
    data: {
      ...data,
      purchaseId: `${String(data['purchaseId'])}T`,
      total: { minor: 59_990, currency: 'EUR', digits: 3 },
    },
  }));
  return tenths === null ? [] : [{ sent: { ...tenths, part: 'useless', fate: { setAside: 'invalid' } }, afterMs: 1 }];
};

const often = (weights: object): { readonly dials: { readonly often: object } } => ({ dials: { often: weights } });

/** Mistakes about the partner's words and numbers. */
const readings: readonly PlantedBug[] = [
  inPolicy(
    {
      name: 'refusals-read-widely',
      what: 'a refusal of what is under way or was not stored counts as a duplicate',
      seenIn: 2,
      world: turned({ weather: { 'drop-before': 0.4, 'already-busy': 0.2 }, sketch: { hasReceipts: true } }),
    },
    (sketch) => ({
      ...sketch,
      dialect: {
        duplicate: {
          templates: [
            'receipt <value> is already being processed try again later',
            'conflict the card is being changed receipt <value> was not stored',
            '<value> the request was already cancelled',
          ],
        },
      },
    }),
  ),
  inPolicy(
    {
      name: 'contradiction-believed',
      what: 'a success that shows another transaction counts as applied',
      seenIn: 1,
      world: turned({ weather: { 'answers-otherwise': 0.3 } }),
    },
    (sketch) => ({
      ...sketch,
      dialect: {
        success: { compare: { ignore: ['amount', 'transactionTypeId', 'transactionDate', 'uniqueAttribute'] } },
      },
    }),
  ),
  inAnswers(
    {
      name: 'failed-duplicate-believed',
      what: 'a refusal as duplicate of a transaction that failed counts as a duplicate',
      seenIn: 13,
      world: turned({ weather: { 'duplicate-of-failed': 0.4, 'drop-before': 0.4 }, sketch: { hasReceipts: true } }),
    },
    asIfDone,
  ),
  inPolicy(
    {
      name: 'receipts-of-two-shops',
      what: 'a value that the partner takes once is narrower than the purchase key',
      seenIn: 1,
      isInFile: true,
      world: turned({ weather: { 'drop-before': 0.4 }, sketch: { hasReceipts: true, restartsReceipts: true } }),
    },
    (sketch) => ({ ...sketch, hasNarrowReceipts: true }),
  ),
  inPolicy(
    {
      name: 'digits-taken',
      what: 'digits that are not those of the currency are taken',
      seenIn: 1,
      world: turned({ trade: { dials: {}, besides: inTenths } }),
    },
    (sketch) => ({ ...sketch, currencyDigits: 3 }),
  ),
  inSql(
    {
      name: 'points-of-others',
      what: 'points that another call of ours may have moved prove a reward',
      seenIn: 16,
      world: turned({
        weather: { 'commit-late': 0.4, 'drop-before': 0.4 },
        sketch: {
          hasReceipts: false,
          rewardPoints: 5,
          onUnknown: { issue: 'probe', update: 'park', transaction: 'park', reward: 'probe' },
          onPark: { issue: 'continue', transaction: 'continue', reward: 'continue' },
        },
        trade: often({ earns: 40 }),
      }),
    },
    { name: 'find_last_calls', from: 'max(e.at +', to: "max('epoch'::timestamptz +" },
  ),
];

const roomy = { lanesHeldMax: 64, claimBatchSizeMax: 8, flushBatchSizeMax: 64, flushesMax: 2 };

/** Mistakes about what was told late. */
const late: readonly PlantedBug[] = [
  inSql(
    {
      name: 'late-proof-ignored',
      what: 'a late proof of "applied" settles nothing, and what is open again is sent again',
      seenIn: 3,
      world: turned({
        size: { troubledMs: 60_000, events: 160, membersPerProgram: 8, settings: roomy },
        weather: { 'partner-slow': 1 },
        moments: { stop: 6 },
        sketch: { hasReceipts: false, inFlightMs: 30_000, onUnknown: resendsAll },
        trade: { dials: { enrolsLate: 0, neverEnrols: 0, late: 0, often: { voids: 0, leaves: 0, erases: 0 } } },
      }),
    },
    ...unless(({ type, data }) => `${type} = 'VerifiedApplied' AND ${data} ->> 'evidence' = 'late-outcome'`),
    unread(`e.type = 'LateOutcome' AND e.data->>'outcome' = 'applied'`),
  ),
];

const laterMs = 10_000;

/** A member that enrols, or of whom something was told, enrols some seconds later with another content. */
function enrolsAfter(name: Sent['name'], data: object): Besides {
  return (sent) => {
    const anew = toldBesides(sent, name, (event) => ({
      id: `${event.id}-anew`,
      type: event.type.replace('updated', 'enrolled'),
      time: new Date(Date.parse(event.time) + laterMs).toISOString(),
      data: { ...event.data, ...data },
    }));
    return anew === null ? [] : [{ sent: { ...anew, name: 'member.enrolled' }, afterMs: laterMs }];
  };
}

const enrolment = {
  changed: undefined,
  person: { firstName: 'Ada', lastName: 'Zweistein' },
  pass: { points: 0 },
  tier: 'basic',
  message: 'welcome',
};
const mends = enrolsAfter('member.enrolled', { message: 'mended' });

const refusesEnrolments: Parameters<typeof turned>[0] = {
  weather: { 'already-busy': 0.4 },
  sketch: { hasUpdates: true, onPark: { issue: 'block', transaction: 'continue', reward: 'continue' } },
};

/** Mistakes about enrolments that were refused, or given up. */
const mending: readonly PlantedBug[] = [
  inSql(
    {
      name: 'mended-stays-parked',
      what: 'an enrolment that was refused, and says something else since, waits for a person',
      seenIn: 1,
      world: turned({ ...refusesEnrolments, trade: { dials: { enrolsLate: 0, late: 0 }, besides: mends } }),
    },
    ...unless(({ type, data }) => `${type} = 'IntentReplayed' AND ${data} ->> 'reason' = 'enrolled-again'`),
  ),
  inSql(
    {
      name: 'given-up-keeps-key',
      what: 'whoever enrols again after a person has cancelled the enrolment is no member',
      seenIn: 1,
      world: turned({
        ...refusesEnrolments,
        trade: { dials: { enrolsLate: 0, late: 0 }, besides: mends, givesUp: true },
      }),
    },
    { name: 'release_enrolment', from: 'm.generation + 1', to: 'm.generation' },
  ),
];

/** Mistakes about which of two tells the newest. */
const newest: readonly PlantedBug[] = [
  inSql(
    {
      name: 'older-update-kept',
      what: 'what an enrolment has overtaken undoes what that says',
      seenIn: 1,
      world: turned({
        sketch: { hasUpdates: true, waitMs: 60_000 },
        trade: {
          dials: {
            neverEnrols: 1,
            comesBack: 0,
            late: 0,
            numbered: 0,
            wrongClocks: 0,
            changes: [['tier', 'message']],
          },
          besides: enrolsAfter('member.updated', enrolment),
        },
      }),
    },
    { name: 'find_queued_updates', from: "i.operation IN ('update-via-workflow', 'schedule-update')", to: 'false' },
  ),
  inSql(
    {
      name: 'one-watermark',
      what: 'all fields of a member share one watermark',
      seenIn: 3,
      world: turned({ trade: { dials: { late: 0.7, enrolsLate: 0.1, numbered: 0, often: { changes: 40 } } } }),
    },
    {
      name: 'find_members',
      from: 'm.profile_marks',
      to: `(SELECT jsonb_build_object('*', jsonb_agg(mark)) FROM jsonb_each(m.profile_marks) AS of_path (path, marks), jsonb_array_elements(of_path.marks) AS mark) AS profile_marks`,
    },
  ),
];

/** Bugs by name. */
export const plantedBugs: readonly PlantedBug[] = [
  ...takingBack,
  ...corrected,
  ...numbers,
  ...mapping,
  ...readings,
  ...late,
  ...mending,
  ...newest,
  inSql(
    { name: 'revision-ignored', what: 'an enrolment recorded meanwhile does not stop a begin', seenIn: 77 },
    {
      name: 'record_lane_steps',
      from: 'now_revision = revision',
      to: 'true',
    },
  ),
  inSql(
    { name: 'open-attempt-forgotten', what: 'what a dead worker had begun is begun anew', seenIn: 2 },
    {
      name: 'claim_lanes_',
      from: 'lane.attempt_open, lane.open_since, lane.redo',
      to: 'false AS attempt_open, NULL::timestamptz AS open_since, lane.redo',
    },
  ),
  inSql(
    {
      name: 'begun-with-lease-forgotten',
      what: 'what a claim had begun is begun anew where its worker died',
      seenIn: 2,
      world: turned({
        moments: { crash: 12 },
        weather: { 'partner-slow': 0.5 },
        sketch: { hasReceipts: false },
        trade: { dials: { enrolsLate: 0, neverEnrols: 0, late: 0, often: { buys: 60 } } },
      }),
    },
    {
      name: 'claim_lanes_',
      from: `attempt = CASE WHEN b.lane_id IS NULL THEN lane.attempt ELSE 1 END,
    attempt_open = lane.attempt_open OR b.lane_id IS NOT NULL,`,
      to: '',
    },
    {
      name: 'record_lane_steps',
      from: 'l.attempt = r.attempt\n      AND l.attempt_open = r.attempt_open AS fits',
      to: '(l.attempt = r.attempt AND l.attempt_open = r.attempt_open OR l.attempt = 0 AND r.attempt = 1) AS fits',
    },
  ),
  inSql(
    {
      name: 'begun-with-recording-forgotten',
      what: 'what was begun as it was recorded is begun anew where its worker died',
      seenIn: 37,
      world: turned({
        moments: { crash: 12 },
        weather: { 'partner-slow': 0.5 },
        sketch: { hasReceipts: false },
        trade: { dials: { enrolsLate: 0, neverEnrols: 0, late: 0, often: { buys: 60 } } },
      }),
    },
    { name: 'claim_recorded', from: 'owner = $5::uuid, attempt = 1, attempt_open = true,', to: 'owner = $5::uuid,' },
    {
      name: 'record_lane_steps',
      from: 'l.attempt = r.attempt\n      AND l.attempt_open = r.attempt_open AS fits',
      to: '(l.attempt = r.attempt AND l.attempt_open = r.attempt_open OR l.attempt = 0 AND r.attempt = 1) AS fits',
    },
  ),
  inSql(
    { name: 'leases-ignored', what: 'lanes are claimed before their lease is over', seenIn: 419 },
    {
      name: 'claim_lanes_',
      from: 'due_at <= $2::timestamptz',
      to: "due_at <= $2::timestamptz + interval '8 s'",
    },
  ),
  inPolicy(
    { name: 'no-in-flight-wait', what: 'absence is believed while the call may still be under way', seenIn: 5 },
    (sketch) => ({
      ...sketch,
      inFlightMs: 1,
    }),
  ),
  inPolicy({ name: 'blind-resend', what: 'what may have taken effect is sent again', seenIn: 94 }, (sketch) => ({
    ...sketch,
    onUnknown: resendsAll,
  })),
  inPolicy(
    { name: 'any-object-is-applied', what: 'any 2xx with a JSON object counts as applied', seenIn: 331 },
    (sketch) => ({
      ...sketch,
      dialect: believesAll,
    }),
  ),
  inSql(
    {
      name: 'found-pass-not-told',
      what: 'a pass that an enrolment finds keeps what it said before',
      seenIn: 21,
    },
    {
      name: 'find_renewed',
      from: 'i.seq = l.issue_seq',
      to: 'false',
    },
  ),
  inAnswers(
    { name: 'lookup-finds-all', what: 'a lookup that finds no pass is read as one that does', seenIn: 700_000 },
    asIfFound,
  ),
  inAnswers({ name: 'owner-ignored', what: "another member's pass proves an enrolment", seenIn: 74 }, asIfAsked),
  inSql(
    {
      name: 'merge-forgets',
      what: 'who was merged stays a member of their own',
      seenIn: 1,
      world: turned({ trade: { dials: { oldCards: 0.9, often: { merges: 25, buys: 60, earns: 20 } } } }),
    },
    {
      name: 'move_profiles',
      from: 'merged_into = w.merged_into',
      to: 'merged_into = NULL',
    },
  ),
];
