import { eventPlanner } from '#events';
import type {
  ClaimedIntent,
  ClaimedLane,
  EventPlace,
  IngestKeys,
  IntentAction,
  LaneCompletion,
  RevisedCommand,
} from '#intents';
import {
  claimLanes,
  evidencePlace,
  IntentActionRepository,
  loadCommands,
  loadPlanned,
  MemberKeys,
  QuarantineSettlements,
  recordBatch,
  recordSteps,
  startOffset,
} from '#intents';
import type { EventPlanner, IdentityPlace, IntentEvent, PartnerCommand, Sending } from '#intents/core';
import { groupOf, holderMoveOf, isSettled, nextStep, policyOf, withTotalLeft } from '#intents/core';
import type { Database } from '#platform';
import { SystemRandom } from '#platform';
import { testDatabase } from '#test-support';

import type { RoutingPrograms } from '../loop/prepare-record.js';
import { prepareRecord, recordRouter } from '../loop/prepare-record.js';
import type { EventSketch } from './events.js';
import { eventRecord } from './events.js';
import { openDatabase, sharedKeys } from './ingest-fixture.js';

const owner = '00000000-0000-4000-8000-000000000001';
const deliveryRoundsMax = 50;

/** The clock of these specs, epoch ms: an hour after the samples' time. */
export const now = Date.parse('2026-11-21T10:15:04Z');

/** A time of day by the shop's clock. */
export const at = (time: string): object => ({ time: `2026-11-21T${time}:00Z` });

/** How events reach us: what is decided of them is the same. */
export const waysToSend = ['in one chunk', 'in a chunk each'] as const;

/** How an attempt comes to its end. */
const endings: Readonly<
  Record<'answer' | 'evidence' | 'refusal' | 'doubt', (attempt: number) => readonly IntentEvent[]>
> = {
  answer: (attempt) => [{ type: 'AttemptApplied', at: now, attempt }],
  evidence: (attempt) => [
    { type: 'AttemptUnknown', at: now, attempt, code: 'timeout', checkAt: null },
    { type: 'VerifiedApplied', at: now, attempt, evidence: 'duplicate-refusal' },
  ],
  refusal: (attempt) => [
    { type: 'AttemptRejected', at: now, attempt, code: 'refused' },
    { type: 'IntentParked', at: now, reason: 'rejected', lane: 'continue' },
  ],
  doubt: (attempt) => [
    { type: 'AttemptUnknown', at: now, attempt, code: 'timeout', checkAt: null },
    { type: 'IntentParked', at: now, reason: 'unknown-outcome', lane: 'continue' },
  ],
};

/** What goes on then with its receipt, as delivery says. */
function releasedBy(by: keyof typeof endings): Pick<LaneCompletion, 'releasesAside' | 'releasesRest'> {
  if (by === 'refusal') return { releasesRest: true };
  return by === 'doubt' ? {} : { releasesAside: true };
}

/** A lane with an attempt under way. */
interface Begun {
  readonly lane: ClaimedLane;
  readonly attempt: number;
}

/** What came of an event: the type of what it is, its purchase or refund, its member, and how it stands. */
const intentsText = `
SELECT concat_ws(' ', m.member_id, i.purchase_id, i.amount, COALESCE(s.status, CASE WHEN EXISTS (SELECT FROM intent_history e
  WHERE e.lane_id = i.lane_id AND e.seq = i.seq AND e.type = 'AttemptApplied') THEN 'delivered' ELSE 'pending' END), s.reason) AS line
FROM intent i JOIN member m USING (lane_id) LEFT JOIN intent_standing s USING (lane_id, seq)
WHERE m.member_id = COALESCE($1, m.member_id) ORDER BY m.member_id, i.seq`;

interface Parked extends EventPlace {
  readonly sealed: Buffer;
  readonly wrapped: Buffer;
}

/** Events as a shop sends them, decoded, routed and recorded on a real database: each call is one chunk. */
export class Till {
  private readonly offsets = [0, 0];

  private constructor(
    readonly database: Database,
    readonly keys: IngestKeys,
    private programs: RoutingPrograms,
    readonly close: () => Promise<void>,
  ) {}

  static async open(programs: RoutingPrograms): Promise<Till> {
    const test = await testDatabase();
    const { database, source } = await openDatabase(test.url, 4);
    const { keyring, ...secrets } = sharedKeys();
    const random = new SystemRandom();
    const keys = { members: new MemberKeys(keyring, random), ...secrets, random };
    const till = new Till(database, keys, programs, async () => {
      await source.destroy();
      await test.dispose();
    });
    for (const partition of till.offsets.keys()) await startOffset(database, till.sourceOf(partition), 0);
    return till;
  }

  /** Another programs file is in force from now on. */
  reloads(programs: RoutingPrograms): void {
    this.programs = programs;
  }

  private get planner(): EventPlanner {
    const { file, hash } = this.programs;
    return eventPlanner(file, Buffer.from(hash).toString('hex'));
  }

  private sourceOf(partition: number) {
    return { clusterId: 'c1', topic: 'loyalty.purchases', incarnation: 1, partition };
  }

  /** @returns what became of each: `recorded`, or the reason why not */
  sends(...sketches: readonly EventSketch[]): Promise<string[]> {
    return this.sendsTo(0, sketches);
  }

  /** By one of two partitions: what is recorded of the other one goes on beside it. */
  async sendsTo(partition: 0 | 1, sketches: readonly EventSketch[]): Promise<string[]> {
    const source = this.sourceOf(partition);
    const fromOffset = this.offsets[partition] ?? 0;
    const { file, hash } = this.programs;
    const context = { source, authority: null, programs: file, now };
    const records = sketches.map((sketch, index) => prepareRecord(eventRecord(sketch, fromOffset + index), context));
    const nextOffset = fromOffset + sketches.length;
    this.offsets[partition] = nextOffset;
    const batch = { source, records, fromOffset, nextOffset, now, programsHash: hash };
    const { results } = await recordBatch(this.database, batch, this.keys);
    return results.map((result) => ('reason' in result ? result.reason : result.kind));
  }

  async sendsBy(way: (typeof waysToSend)[number], sketches: readonly EventSketch[]): Promise<string[]> {
    if (way === 'in one chunk') return this.sends(...sketches);
    const outcomes: string[] = [];
    for (const sketch of sketches) outcomes.push(...(await this.sends(sketch)));
    return outcomes;
  }

  /**
   * Delivers what is due, lane by lane in its order, until nothing is: the partner says yes to everything, by its answer or by what
   * is found out after an answer was lost, or no.
   */
  async delivers(by: keyof typeof endings = 'answer'): Promise<void> {
    for (let rounds = 0; rounds < deliveryRoundsMax; rounds += 1) {
      const lanes = await this.claims();
      if (lanes.length === 0) return;
      for (const lane of lanes) {
        const begun = await this.begin(lane);
        if (begun !== null) await this.end(begun, by);
      }
    }
    throw new Error('the lanes never drain');
  }

  /** Sends the first of what is due. @returns what tells how that comes to its end */
  async begins(): Promise<(by: keyof typeof endings) => Promise<void>> {
    const [lane] = await this.claims();
    const begun = lane === undefined ? null : await this.begin(lane);
    if (begun === null) throw new Error('there is nothing to send');
    return (by) => this.end(begun, by);
  }

  private async claims(): Promise<readonly ClaimedLane[]> {
    const request = {
      program: 'coffee-club',
      now,
      leaseUntil: now + 1,
      owner,
      limit: 64,
      floors: [null, null, null],
    } as const;
    return (await claimLanes(this.database, request, this.keys.members)).lanes;
  }

  /** Null: it makes no call. */
  private async begin(claimed: ClaimedLane): Promise<Begun | null> {
    const { key, laneId, epoch, revision, cursor, intents } = claimed;
    const { current: seq } = cursor;
    const lease = { key, laneId, epoch, revision, seq };
    const intent = intents.get(seq);
    if (intent !== undefined && isSettled(intent.state)) {
      const over = { kind: 'settle', dueAt: 0, pass: null, events: [] } as const;
      const step = { ...lease, attempt: 0, attemptOpen: false, completion: over, carriesAnswer: false, begin: null };
      await recordSteps(this.database, { steps: [step], now, isRetry: false }, this.keys);
      return null;
    }
    const planned =
      intent && ['transaction', 'reward'].includes(intent.operation)
        ? this.planned(laneId, intent, intents)
        : { attempt: 1 };
    if (!('attempt' in planned)) {
      const step = { ...lease, attempt: 0, attemptOpen: false, completion: planned, carriesAnswer: false, begin: null };
      await recordSteps(this.database, { steps: [step], now, isRetry: false }, this.keys);
      return null;
    }
    const { attempt } = planned;
    const begun = { seq, attempt, before: null, leaseUntil: now + 1, sendBy: now };
    const begin = { ...lease, attempt: 0, attemptOpen: false, completion: null, carriesAnswer: false, begin: begun };
    await recordSteps(this.database, { steps: [begin], now, isRetry: false }, this.keys);
    return { lane: claimed, attempt };
  }

  private async end({ lane, attempt }: Begun, by: keyof typeof endings): Promise<void> {
    const { key, laneId, epoch, revision, cursor, intents } = lane;
    const { current: seq } = cursor;
    const intent = intents.get(seq);
    const lease = { key, laneId, epoch, revision, seq };
    const events = endings[by](attempt).map((event) => ({ seq, event, evidence: null }));
    const releases = intent?.isAwaited === true ? releasedBy(by) : {};
    const makes = intent !== undefined && groupOf(intent.operation) === 'issue' ? this.made() : {};
    const completion = { kind: 'settle', dueAt: 0, pass: 'known', events, ...releases, ...makes } as const;
    const step = { ...lease, attempt, attemptOpen: true, completion, carriesAnswer: true, begin: null };
    await recordSteps(this.database, { steps: [step], now, isRetry: false }, this.keys);
  }

  /** What goes on with a card. */
  private made(): Pick<LaneCompletion, 'gotPass' | 'replacesCard'> {
    const { onRejoin } = this.programs.file.programs['coffee-club'] ?? {};
    return { replacesCard: true, gotPass: { sendsKept: onRejoin === 'send' } };
  }

  /** What delivery does with a transaction or reward: an attempt, or none, as of what goes after another one. */
  private planned(
    laneId: number,
    intent: ClaimedIntent,
    intents: ClaimedLane['intents'],
  ): { readonly attempt: number } | LaneCompletion {
    const { operation, seq, waitsFor } = intent;
    const program = this.programs.file.programs['coffee-club'];
    if (program === undefined) throw new Error('there is no such program');
    const before = waitsFor?.place?.laneId === laneId ? intents.get(waitsFor.place.seq)?.state : undefined;
    const sending: Sending = {
      ...{ intent, state: intent.state, purchase: before ?? { status: 'absent' }, heldSale: null },
      known: { pass: 'known', named: null, isNameAsked: true, isPassAsked: true, before: null },
      ...{ attemptOpen: false, openSince: null, policy: policyOf(program, intent), now },
      naming: {},
    };
    const next = nextStep(sending, 0);
    if (next.kind === 'begin') return { attempt: next.attempt };
    if (next.kind === 'come-back') return { kind: next.as, dueAt: next.dueAt, pass: null, events: [] };
    if (next.kind !== 'record') throw new Error(`a partner who says yes is not asked: ${next.kind}`);
    const events = next.events.map((event, index) => ({ seq, event, evidence: index === 0 ? next.evidence : null }));
    return { ...holderMoveOf(operation, next.events), events };
  }

  /** An operator gives up one of a member's intents. */
  cancels(memberId: string, seq: number, isNotDelivered = false): Promise<void> {
    return this.act(memberId, seq, { kind: 'cancel', isNotDelivered });
  }

  /** An operator says that one of a member's intents is delivered. */
  resolves(memberId: string, seq: number): Promise<void> {
    return this.act(memberId, seq, { kind: 'resolve', as: 'delivered' });
  }

  private async act(memberId: string, seq: number, action: IntentAction): Promise<void> {
    const actions = new IntentActionRepository(this.database, this.keys.members);
    const place = await actions.find({ program: 'coffee-club', memberId, seq });
    if (place === null) throw new Error('there is no such intent');
    const audit = { at: now, actor: 'otto', address: '127.0.0.1', reason: 'operator' };
    const { kind } = await actions.act({ place, action, audit, planner: this.planner });
    if (kind !== 'done') throw new Error('an operator cannot do so');
  }

  /** An admin says of which amount one of a member's transactions is. @returns why not; null: it is */
  async corrects(memberId: string, seq: number, amount: string): Promise<string | null> {
    const actions = new IntentActionRepository(this.database, this.keys.members);
    const place = await actions.find({ program: 'coffee-club', memberId, seq });
    if (place === null) throw new Error('there is no such intent');
    const revise = (current: PartnerCommand | null): RevisedCommand => {
      if (current?.operation !== 'transaction') throw new Error('it has no amount');
      const command = withTotalLeft(current, { ...current, amount });
      return { command, changed: ['amount'], privileged: ['amount'] };
    };
    const audit = { at: now, actor: 'ada', address: null, reason: 'a typing mistake' };
    const result = await actions.correct({ place, revise, audit });
    return result.kind === 'refused' ? result.reason : null;
  }

  /** An operator sends all of a member's again that is parked. @returns why not, of each that is refused */
  async replays(memberId: string, { isForced = false } = {}): Promise<string[]> {
    const actions = new IntentActionRepository(this.database, this.keys.members);
    const text = `SELECT s.lane_id AS "laneId", s.seq FROM intent_standing s JOIN member m USING (lane_id)
WHERE m.member_id = $1 AND s.status = 'parked' ORDER BY s.seq`;
    const { rows } = await this.database.execute<IdentityPlace>({ name: 'spec parked', text }, [memberId]);
    const audit = { at: now, actor: 'otto', address: null, reason: 'again' };
    const refusals: string[] = [];
    for (const place of rows) {
      const request = { place, action: { kind: 'replay', isForced }, audit, planner: this.planner } as const;
      const result = await actions.act(request);
      if (result.kind === 'refused') refusals.push(result.reason);
    }
    return refusals;
  }

  /** The partner shows a member's card no more. */
  async losesCard(memberId: string): Promise<void> {
    const text = `UPDATE lane SET pass = 'absent' FROM member WHERE member.lane_id = lane.lane_id AND member_id = $1`;
    await this.database.execute({ name: 'spec lost card', text }, [memberId]);
  }

  /** `MEMBER PURCHASE AMOUNT STATUS REASON` of each intent, amounts as they were told, member by member in order. @param memberId of whom; absent: all */
  async intents(memberId?: string): Promise<string[]> {
    const statement = { name: 'spec intents', text: intentsText };
    const { rows } = await this.database.execute<{ line: string }>(statement, [memberId ?? null]);
    return rows.map(({ line }) => line);
  }

  /** What each transaction says that it is of, corrections included, in the order of `intents`; null: it makes no call. */
  async amounts(memberId?: string): Promise<(string | null)[]> {
    return (await this.commands(memberId)).map((command) =>
      command?.operation === 'transaction' ? command.amount : null,
    );
  }

  /** What each intent says, as `amounts`. */
  async commands(memberId?: string): Promise<(PartnerCommand | null)[]> {
    const text = `SELECT lane_id AS "laneId", seq FROM intent JOIN member USING (lane_id)
WHERE member_id = COALESCE($1, member_id) ORDER BY member_id, seq`;
    const { rows } = await this.database.execute<IdentityPlace>({ name: 'spec places', text }, [memberId ?? null]);
    const loaded = await loadCommands(this.database, rows, this.keys.members);
    return rows.map(({ laneId, seq }) => {
      const current = loaded.find((one) => one.laneId === laneId && one.seq === seq)?.current;
      return current?.kind === 'command' ? current.command : null;
    });
  }

  /** What one of a member's intents would say by the file in force. */
  async plans(memberId: string, seq: number): Promise<PartnerCommand | undefined> {
    const actions = new IntentActionRepository(this.database, this.keys.members);
    const place = await actions.find({ program: 'coffee-club', memberId, seq });
    if (place === null) throw new Error('there is no such intent');
    const tools = { planner: this.planner, keys: this.keys.members };
    return (await loadPlanned(this.database, [place], tools))[0]?.next;
  }

  /** Why each parked intent was parked as it was recorded, in order. */
  async reasons(): Promise<string[]> {
    const text = `
SELECT e.lane_id AS "laneId", e.seq, e.type, e.attempt, e.epoch, e.version, e.sealed, k.wrapped_key AS wrapped
FROM intent_event e JOIN member m USING (lane_id) JOIN member_key k USING (lane_id)
WHERE e.type = 'IntentParked' AND e.sealed IS NOT NULL ORDER BY m.member_id, e.seq`;
    const { rows } = await this.database.execute<Parked>({ name: 'spec reasons', text });
    return rows.map(({ sealed, wrapped, ...place }) => {
      this.keys.members.learn(place.laneId, wrapped);
      return (JSON.parse(this.keys.members.openFor(evidencePlace(place), sealed)) as { detail: string }).detail;
    });
  }

  /** An operator takes in all that was set aside, as it is. @returns what became of each */
  async takesIn(): Promise<string[]> {
    const text = `SELECT quarantine_id AS id FROM quarantine WHERE state = 'open' ORDER BY 1`;
    const { rows } = await this.database.execute<{ id: number }>({ name: 'spec open quarantine', text });
    const settlements = new QuarantineSettlements(this.database, this.keys);
    const audit = { at: now, actor: 'otto', address: null, reason: 'it is the same one' };
    const results: string[] = [];
    for (const { id } of rows) {
      const request = { quarantineId: id, correction: null, audit, permit: () => [] };
      const { kind } = await settlements.resubmit(
        request,
        recordRouter(() => this.programs, null),
      );
      results.push(kind);
    }
    return results;
  }

  /** An admin takes in the first of what was set aside and is open, corrected to this. @returns what became of it */
  async takesInFirst(sketch: EventSketch): Promise<string> {
    const correction = { value: eventRecord(sketch).value?.toString() ?? '' };
    const audit = { at: now, actor: 'ada', address: null, reason: 'it has another number' };
    const request = { quarantineId: await this.firstOpen(), correction, audit, permit: () => [] };
    const settlements = new QuarantineSettlements(this.database, this.keys);
    return (
      await settlements.resubmit(
        request,
        recordRouter(() => this.programs, null),
      )
    ).kind;
  }

  private async firstOpen(): Promise<number> {
    const text = `SELECT min(quarantine_id) AS id FROM quarantine WHERE state = 'open'`;
    const { rows } = await this.database.execute<{ id: number }>({ name: 'spec first open', text });
    return rows[0]?.id ?? 0;
  }

  /** An operator gives up the first of what was set aside and is open. */
  async givesUpFirst(): Promise<void> {
    const audit = { at: now, actor: 'otto', address: null, reason: 'it was no sale' };
    const settlements = new QuarantineSettlements(this.database, this.keys);
    await settlements.discard({ quarantineId: await this.firstOpen(), audit });
  }

  /** Reason and detail of what was set aside, in order. */
  async setAside(): Promise<string[]> {
    const text = `SELECT reason || ': ' || detail AS line FROM quarantine ORDER BY quarantine_id`;
    const { rows } = await this.database.execute<{ line: string }>({ name: 'spec quarantine', text });
    return rows.map(({ line }) => line);
  }
}
