import type { Program, ProgramsFile } from '#contracts';
import { parseProgramsFile, PROGRAMS_FILE_EXAMPLE } from '#contracts';
import type { PartnerCommand } from '#intents/core';
import type { SourceEvent, SourceEventName } from '#events';
import { sampleEvent, routeSourceEvent } from '#events';
import { eventContentText, eventKeyText } from '#events/core';
import { waitUntil } from '#embedded';
import type { AttemptReport } from '#gateway';
import type { IntentAction, PreparedRecord } from '#intents';
import { recordBatch, startOffset, IntentActionRepository } from '#intents';
import type { TestDatabase } from '#test-support';
import { testDatabase } from '#test-support';

import { DeliveryFixture, leaseMsEndless } from './testing/delivery-fixture.js';
import { applied, report } from './testing/engine-harness.js';

const completed = 'loyalty.purchase.completed.v1';
const refunded = 'loyalty.purchase.refunded.v1';
const voided = 'loyalty.purchase.voided.v1';
const granted = 'loyalty.reward.granted.v1';
const revoked = 'loyalty.reward.revoked.v1';

let test: TestDatabase;
let fixture: DeliveryFixture;
let actions: IntentActionRepository;
let calls: string[];

beforeEach(async () => {
  test = await testDatabase();
  fixture = await DeliveryFixture.open(test.url);
  actions = new IntentActionRepository(fixture.database, fixture.keys.members);
  calls = [];
});

afterEach(async () => {
  await fixture.close();
  await test.dispose();
});

type Exchange = readonly [string | RegExp, string];

/** Receipts begin anew in each store; nobody waits long for what nobody knows. */
const ofStores: readonly Exchange[] = [
  ['purchaseKey: [purchaseId]', 'purchaseKey: [storeId, purchaseId]'],
  ['receipt: purchaseId', 'receipt: { join: [storeId, purchaseId] }'],
  ['receipt: refundId', 'receipt: { join: [storeId, refundId] }'],
  ['waitMs: 3600000', 'waitMs: 600'],
];
/** A counter-entry for voids, and one for revocations. */
const counters: readonly Exchange[] = [
  [/voided:.*/, 'voided: { transactionTypeId: "33" }'],
  ['revoked: { via: none }', 'revoked: { id: "9003" }'],
];

function programsOf(exchanges: readonly Exchange[]): ProgramsFile {
  const parsed = parseProgramsFile(
    exchanges.reduce((text, [from, to]) => text.replace(from, to), PROGRAMS_FILE_EXAMPLE),
  );
  if (!parsed.ok) throw new Error(parsed.errors.join('\n'));
  return parsed.value;
}

function brief(command: PartnerCommand): string {
  const said = command as { readonly amount?: string; readonly rewardId?: string };
  return `${command.uniqueId} ${said.amount ?? said.rewardId}`;
}

/** Tills of several shops, their program, and one daemon's delivery. */
class Shops {
  private offset = 0;

  private constructor(private readonly programs: ProgramsFile) {}

  static open(...exchanges: readonly Exchange[]): Shops {
    return new Shops(programsOf(exchanges));
  }

  get program(): Program {
    const program = this.programs.programs['coffee-club'];
    if (program === undefined) throw new Error('the program is missing');
    return program;
  }

  event(name: SourceEventName, data: object): SourceEvent {
    this.offset += 1;
    return sampleEvent(name, { data: { memberId: 'a', ...data }, frame: { id: `e-${this.offset}` } });
  }

  /** Records these events as one batch; what became of each. */
  tell(...events: readonly SourceEvent[]): Promise<string[]> {
    return this.tellAt(fixture.clock.now(), ...events);
  }

  /** @param now when their transaction began: one that began later may have ended before it */
  async tellAt(now: number, ...events: readonly SourceEvent[]): Promise<string[]> {
    const source = { clusterId: 'c2', topic: 'loyalty.purchases', incarnation: 1, partition: 1 };
    const [row] = await fixture.sql<{ next: number }>(
      `SELECT next_offset AS next FROM kafka_offset WHERE cluster_id = 'c2'`,
    );
    if (row === undefined) await startOffset(fixture.database, source, 0);
    const fromOffset = row?.next ?? 0;
    const records = events.map((event, index) => this.prepared(event, fromOffset + index));
    const request = { source, records, fromOffset, nextOffset: fromOffset + records.length, now };
    const { results } = await recordBatch(
      fixture.database,
      { ...request, programsHash: Buffer.alloc(16) },
      fixture.keys,
    );
    return results.map((result) => ('reason' in result ? result.reason : result.kind));
  }

  /** Delivers; a call is answered as told, and noted. */
  start(answer: (call: string) => AttemptReport<unknown> | Promise<AttemptReport<unknown>> = () => applied): void {
    fixture.partner.answer = async (command) => {
      const call = brief(command);
      const answered = (await answer(call)) as AttemptReport<never>;
      calls.push(`${call}${answered.outcome.kind === 'applied' ? '' : ` ${answered.outcome.kind}`}`);
      return answered;
    };
    fixture.start({ 'coffee-club': this.program });
  }

  private prepared(event: SourceEvent, offset: number): PreparedRecord {
    const route = routeSourceEvent(event, this.programs);
    const original = { offset, brokerAt: fixture.clock.now(), key: null, value: null, headersText: '{}' };
    if (route.kind === 'quarantine') return { original, verdict: route };
    if (route.kind === 'ignored') throw new Error(route.reason);
    const texts = { eventKeyText: eventKeyText(event), eventContentText: eventContentText(event) };
    const { intents, cancels } = route;
    return {
      original,
      verdict: {
        ...{ kind: 'routed', eventType: event.name, eventSource: event.source, occurredAt: event.timeMs, ...texts },
        ...{ intents, cancels, memberEffects: null, enrolmentAsUpdate: null, profilePosition: null },
      },
    };
  }
}

const standingTimeoutMs = 45_000;

/** Status and reason of everything recorded, by member, in the order of the lanes. */
async function standings(): Promise<string[]> {
  const rows = await fixture.sql<{ standing: string }>(
    `SELECT concat_ws(' ', m.member_id, i.seq::text, CASE WHEN EXISTS (SELECT FROM intent_history e
       WHERE e.lane_id = i.lane_id AND e.seq = i.seq AND e.type IN ('AttemptApplied', 'VerifiedApplied'))
       THEN 'delivered' ELSE COALESCE(s.status, 'pending') END, s.reason) AS standing
     FROM intent i JOIN member m USING (lane_id) LEFT JOIN intent_standing s USING (lane_id, seq)
     ORDER BY m.member_id, i.seq`,
  );
  return rows.map(({ standing }) => standing);
}

async function untilStanding(...expected: readonly string[]): Promise<void> {
  const isSo = async (): Promise<boolean> => {
    const now = await standings();
    return expected.every((line) => now.includes(line));
  };
  await waitUntil(isSo, { what: expected.join(', '), timeoutMs: standingTimeoutMs }).catch(async () => {
    expect(await standings()).toEqual(expect.arrayContaining([...expected]));
  });
}

const refusal = report({ kind: 'rejected', code: 'refused', message: 'no such store' });
const lost = report({ kind: 'unknown', code: 'timeout', retryAfterMs: null });
const berlin = { storeId: 'berlin-07', purchaseId: '118', total: { minor: 5999, currency: 'EUR' } };
const hamburg = { storeId: 'hamburg-01', purchaseId: '7', total: { minor: 5999, currency: 'EUR' } };
const original = { storeId: 'berlin-07', purchaseId: '118' };

describe('a return in another shop', () => {
  it('goes behind its purchase, and is whose that is, whomever it names', async () => {
    const shops = Shops.open(...ofStores);
    const gate = Promise.withResolvers<undefined>();
    await shops.tell(
      shops.event(completed, berlin),
      shops.event(refunded, { ...hamburg, memberId: 'b', original }),
      shops.event(completed, { ...hamburg, memberId: 'b', total: { minor: 100, currency: 'EUR' } }),
    );
    shops.start(async (call) => {
      if (call === 'a 59.99') await gate.promise;
      return applied;
    });
    await untilStanding('a 2 pending', 'b 1 delivered');
    gate.resolve(undefined);
    await untilStanding('a 1 delivered', 'a 2 delivered', 'b 1 delivered');
    expect(calls).toEqual(['b 1.00', 'a 59.99', 'a -59.99']);
  });

  it.each(['a', 'b'])('is not posted where its purchase was cancelled, under member %s', async (memberId) => {
    const shops = Shops.open(...ofStores);
    await shops.tell(
      shops.event(completed, berlin),
      shops.event(voided, { ...hamburg, original }),
      shops.event(refunded, { ...hamburg, memberId, original }),
    );
    shops.start();
    await untilStanding('a 1 cancelled voided', 'a 2 parked over-refund');
    expect(calls).toEqual([]);
  });

  it('is not posted where its purchase was refused', async () => {
    const shops = Shops.open(...ofStores);
    await shops.tell(shops.event(completed, berlin), shops.event(refunded, { ...hamburg, original }));
    shops.start(() => refusal);
    await untilStanding('a 1 parked rejected', 'a 2 parked missing-purchase');
    expect(calls).toEqual(['a 59.99 rejected']);
  });

  it.each([refunded, voided] as const)('is set aside without a part of the key: %s', async (name) => {
    const shops = Shops.open(...ofStores);
    const event = shops.event(name, { ...hamburg, original: { purchaseId: '118' } });
    expect(await shops.tell(event)).toEqual(['invalid']);
  });
});

describe('a return that names no purchase anybody knows', () => {
  const posting: readonly Exchange[] = [['refundUnknown: park', 'refundUnknown: post']];

  it('steps aside at once, and lets the rest of its member’s work go on, whatever the file says of what is parked', async () => {
    const shops = Shops.open(['transaction: continue', 'transaction: block']);
    await shops.tell(shops.event(refunded, hamburg), shops.event(completed, berlin));
    shops.start();
    await untilStanding('a 1 parked missing-purchase', 'a 2 delivered');
    expect(calls).toEqual(['a 59.99']);
  });

  it('waits in its place, and is posted when that is over, where the program says so', async () => {
    // Long enough to be seen waiting, also by a machine that has much else to do.
    const shops = Shops.open(...posting, ['waitMs: 3600000', 'waitMs: 5000']);
    await shops.tell(shops.event(refunded, berlin));
    shops.start();
    await untilStanding('a 1 waiting purchase');
    await untilStanding('a 1 delivered');
    expect(calls).toEqual(['a -59.99']);
  });

  it('regression: that waits is posted behind its purchase, where that comes in time', async () => {
    const shops = Shops.open(...posting);
    await shops.tell(shops.event(refunded, hamburg));
    shops.start();
    await untilStanding('a 1 waiting purchase');
    await shops.tell(shops.event(completed, hamburg));
    await untilStanding('a 1 delivered', 'a 2 delivered');
    expect(calls).toEqual(['a 59.99', 'a -59.99']);
  });

  it('regression: goes behind its purchase where both come at once, and the program posts what nobody knows', async () => {
    const shops = Shops.open(...posting);
    await shops.tell(shops.event(completed, hamburg), shops.event(refunded, hamburg));
    shops.start();
    await untilStanding('a 1 delivered', 'a 2 delivered');
    expect(calls).toEqual(['a 59.99', 'a -59.99']);
  });

  it('regression: that waits takes no more than is left of its purchase, where that comes in time', async () => {
    const shops = Shops.open(...posting, ['waitMs: 3600000', 'waitMs: 4000000']);
    const back = (refundId: string): SourceEvent =>
      shops.event(refunded, { ...hamburg, refundId, total: { minor: 4000, currency: 'EUR' } });
    await shops.tell(back('R-1'), back('R-2'));
    shops.start();
    await untilStanding('a 1 waiting purchase');
    await shops.tell(shops.event(completed, hamburg));
    await untilStanding('a 1 delivered', 'a 3 delivered', 'a 2 parked over-refund');
    expect(calls).toEqual(['a 59.99', 'a -40.00']);
  });

  it('regression: that waits is not posted where the purchase that comes is another member’s', async () => {
    const shops = Shops.open(...posting);
    await shops.tell(shops.event(refunded, hamburg));
    shops.start();
    await untilStanding('a 1 waiting purchase');
    await shops.tell(shops.event(completed, { ...hamburg, memberId: 'b' }));
    await untilStanding('b 1 delivered', 'a 1 parked missing-purchase');
    expect(calls).toEqual(['b 59.99']);
  });

  it('regression: that waits is not posted either where that purchase was being recorded when it came', async () => {
    const shops = Shops.open(...posting);
    const began = fixture.clock.now();
    await shops.tell(shops.event(refunded, hamburg));
    shops.start();
    await untilStanding('a 1 waiting purchase');
    await shops.tellAt(began - 1, shops.event(completed, { ...hamburg, memberId: 'b' }));
    await untilStanding('b 1 delivered', 'a 1 parked missing-purchase');
    expect(calls).toEqual(['b 59.99']);
  });

  it('stays for a person where the purchase that comes is another member’s', async () => {
    const shops = Shops.open();
    await shops.tell(shops.event(refunded, hamburg));
    await shops.tell(shops.event(completed, { ...hamburg, memberId: 'b' }));
    shops.start();
    await untilStanding('b 1 delivered', 'a 1 parked missing-purchase');
    expect(calls).toEqual(['b 59.99']);
  });

  it('comes back by itself once its own member’s purchase is delivered, however long that takes', async () => {
    const shops = Shops.open();
    let isMended = false;
    await shops.tell(shops.event(refunded, hamburg));
    await shops.tell(shops.event(completed, hamburg));
    shops.start((call) => (call === 'a 59.99' && !isMended ? refusal : applied));
    await untilStanding('a 1 parked missing-purchase', 'a 2 parked rejected');
    isMended = true;
    const [place] = await fixture.sql<{ laneId: number }>('SELECT lane_id AS "laneId" FROM lane');
    const audit = { at: fixture.clock.now(), actor: 'ada', address: '127.0.0.1', reason: 'mended' };
    const request = { place: { laneId: place!.laneId, seq: 2 }, action: { kind: 'replay' } as const, audit };
    expect(await actions.act(request)).toMatchObject({ kind: 'done' });
    await untilStanding('a 1 delivered', 'a 2 delivered');
    expect(calls).toEqual(['a 59.99 rejected', 'a 59.99', 'a -59.99']);
  });

  it('comes back where a person says that its purchase is there', async () => {
    const shops = Shops.open();
    await shops.tell(shops.event(refunded, hamburg));
    await shops.tell(shops.event(completed, hamburg));
    shops.start((call) => (call === 'a 59.99' ? refusal : applied));
    await untilStanding('a 1 parked missing-purchase', 'a 2 parked rejected');
    const [place] = await fixture.sql<{ laneId: number }>('SELECT lane_id AS "laneId" FROM lane');
    const audit = { at: fixture.clock.now(), actor: 'ada', address: '127.0.0.1', reason: 'it is there' };
    const action = { kind: 'resolve', as: 'delivered' } as const;
    expect(await actions.act({ place: { laneId: place!.laneId, seq: 2 }, action, audit })).toMatchObject({
      kind: 'done',
    });
    await untilStanding('a 1 delivered');
    expect(calls).toEqual(['a 59.99 rejected', 'a -59.99']);
  });

  it('is not posted where its purchase was voided before it came, whatever the key', async () => {
    const shops = Shops.open();
    await shops.tell(shops.event(voided, berlin), shops.event(refunded, berlin));
    shops.start();
    await untilStanding('a 1 parked missing-purchase');
    expect(calls).toEqual([]);
  });
});

describe('a refund of a sale that is parked', () => {
  /** A person acts on an intent of this member. */
  const act = async (memberId: string, seq: number, action: IntentAction): Promise<void> => {
    const [lane] = await fixture.sql<{ laneId: number }>(
      `SELECT lane_id AS "laneId" FROM member WHERE member_id = '${memberId}'`,
    );
    const audit = { at: fixture.clock.now(), actor: 'ada', address: '127.0.0.1', reason: 'mended' };
    const request = { place: { laneId: lane!.laneId, seq }, action, audit };
    expect(await actions.act(request)).toMatchObject({
      kind: 'done',
    });
  };
  const next = { ...hamburg, purchaseId: '8', total: { minor: 2000, currency: 'EUR' } };
  /** The partner refuses the one sale until somebody has mended that. */
  const refusing = (): { mend: () => void; answer: (call: string) => AttemptReport<unknown> } => {
    let isMended = false;
    return {
      mend: () => {
        isMended = true;
      },
      answer: (call) => (call === 'a 59.99' && !isMended ? refusal : applied),
    };
  };

  it.each([
    ['its own member’s', 'a', ['a 3 delivered', 'a 4 delivered']],
    ['another member’s', 'b', ['b 1 delivered', 'b 2 delivered']],
  ])('holds nobody, and comes with the sale when that is replayed: %s', async (_whose, memberId, rest) => {
    const shops = Shops.open();
    const partner = refusing();
    await shops.tell(
      shops.event(completed, berlin),
      shops.event(refunded, { ...berlin, memberId }),
      shops.event(completed, { ...next, memberId }),
      shops.event(granted, { memberId, grantId: 'g' }),
    );
    shops.start(partner.answer);
    await untilStanding('a 1 parked rejected', 'a 2 parked missing-purchase', ...rest);
    const [parked] = await fixture.sql<{ awaits: unknown; saleLane: number }>(
      `SELECT data->'awaits' AS awaits, (SELECT lane_id FROM member WHERE member_id = 'a') AS "saleLane"
       FROM intent_history WHERE type = 'IntentParked' AND data->>'reason' = 'missing-purchase'`,
    );
    expect(parked?.awaits).toEqual({ laneId: parked?.saleLane, seq: 1 });
    calls = [];
    partner.mend();
    await act('a', 1, { kind: 'replay' });
    await untilStanding('a 1 delivered', 'a 2 delivered');
    expect(calls).toEqual(['a 59.99', 'a -59.99']);
  });

  it('never holds another member’s queue, whatever the file says of what is parked', async () => {
    const shops = Shops.open(...ofStores.slice(0, 3), ['transaction: continue', 'transaction: block']);
    // Told before its sale, it is of whom it names.
    await shops.tell(
      shops.event(refunded, { ...hamburg, memberId: 'b' }),
      shops.event(completed, hamburg),
      shops.event(completed, { ...next, memberId: 'b' }),
    );
    shops.start(refusing().answer);
    await untilStanding('a 1 parked rejected', 'b 1 parked missing-purchase', 'b 2 delivered');
  });

  it('goes behind it when that is refused while it waits, and behind it again when it is refused again', async () => {
    const shops = Shops.open(...ofStores.slice(0, 3));
    const [begun, gate] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    await shops.tell(
      shops.event(refunded, { ...hamburg, memberId: 'b' }),
      shops.event(completed, hamburg),
      shops.event(refunded, { ...hamburg, refundId: 'r-2' }),
    );
    shops.start(async (call) => {
      if (call !== 'a 59.99') return applied;
      begun.resolve(undefined);
      await gate.promise;
      return refusal;
    });
    await begun.promise;
    await untilStanding('b 1 parked missing-purchase');
    gate.resolve(undefined);
    await untilStanding('a 1 parked rejected', 'a 2 parked missing-purchase', 'b 1 parked missing-purchase');
    await act('a', 1, { kind: 'replay' });
    await waitUntil(async () => calls.length === 2, { what: 'the sale again', timeoutMs: standingTimeoutMs });
    await untilStanding('a 1 parked rejected', 'a 2 parked missing-purchase', 'b 1 parked missing-purchase');
    expect(calls).toEqual(['a 59.99 rejected', 'a 59.99 rejected']);
    await act('a', 1, { kind: 'resolve', as: 'delivered' });
    await untilStanding('a 2 delivered', 'b 1 parked missing-purchase');
    expect(calls.slice(2)).toEqual(['a -59.99']);
  });

  it('counts while it waits: of two of the same sale the second finds nothing left', async () => {
    const shops = Shops.open();
    await shops.tell(shops.event(completed, berlin), shops.event(refunded, berlin));
    shops.start(refusing().answer);
    await untilStanding('a 1 parked rejected', 'a 2 parked missing-purchase');
    await shops.tell(shops.event(refunded, { ...berlin, refundId: 'r-2' }));
    await untilStanding('a 3 parked over-refund');
  });

  it('stays for a person where the sale is given up', async () => {
    const shops = Shops.open();
    await shops.tell(shops.event(completed, berlin), shops.event(refunded, berlin), shops.event(completed, next));
    shops.start(refusing().answer);
    await untilStanding('a 1 parked rejected', 'a 2 parked missing-purchase', 'a 3 delivered');
    await act('a', 1, { kind: 'cancel' });
    expect(await standings()).toEqual(['a 1 cancelled mended', 'a 2 parked missing-purchase', 'a 3 delivered']);
  });

  it('is sent behind it where a person puts the refund back first', async () => {
    const shops = Shops.open();
    const partner = refusing();
    await shops.tell(shops.event(completed, berlin), shops.event(refunded, berlin));
    shops.start(partner.answer);
    await untilStanding('a 1 parked rejected', 'a 2 parked missing-purchase');
    await fixture.drain();
    partner.mend();
    await act('a', 2, { kind: 'replay' });
    await act('a', 1, { kind: 'replay' });
    shops.start(partner.answer);
    await untilStanding('a 1 delivered', 'a 2 delivered');
    expect(calls.slice(1)).toEqual(['a 59.99', 'a -59.99']);
  });

  it.each([
    ['delivered', { kind: 'resolve', as: 'delivered' }, ['a 2 delivered']],
    [
      'not delivered',
      { kind: 'resolve', as: 'not-delivered' },
      ['a 1 cancelled voided', 'a 2 cancelled nothing-to-take-back'],
    ],
  ] as const)('and a void of one in doubt go with what a person says of it: %s', async (_word, action, expected) => {
    const shops = Shops.open(...counters, ['inFlightMs: 120000', 'inFlightMs: 500']);
    const [begun, gate] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    await shops.tell(shops.event(completed, berlin));
    shops.start(async (call) => {
      if (call !== 'a 59.99') return applied;
      begun.resolve(undefined);
      await gate.promise;
      return lost;
    });
    await begun.promise;
    await shops.tell(shops.event(voided, berlin), shops.event(completed, next));
    gate.resolve(undefined);
    await untilStanding('a 1 parked unknown-outcome', 'a 2 parked missing-purchase', 'a 3 delivered');
    await act('a', 1, action);
    await untilStanding(...expected);
  });
});

describe('what takes back what is another member’s than its event says', () => {
  const own = { grantId: 'g' };

  it.each([
    ['a void', 'b', { said: completed, takenBack: voided, data: berlin, expected: ['a 59.99', 'a -59.99'] }],
    ['a void', null, { said: completed, takenBack: voided, data: berlin, expected: ['a 59.99', 'a -59.99'] }],
    ['a revocation', 'b', { said: granted, takenBack: revoked, data: own, expected: ['a 9001', 'a 9003'] }],
  ] as const)(
    '%s that names %s comes after that, for whose it is',
    async (_what, memberId, { said, takenBack, data, expected }) => {
      const shops = Shops.open(...counters);
      const gate = Promise.withResolvers<undefined>();
      await shops.tell(shops.event(said, data));
      const begun = Promise.withResolvers<undefined>();
      shops.start(async () => {
        begun.resolve(undefined);
        await gate.promise;
        return applied;
      });
      await begun.promise;
      expect(await shops.tell(shops.event(takenBack, { ...data, memberId }))).toEqual(['recorded']);
      await untilStanding('a 2 pending');
      gate.resolve(undefined);
      await untilStanding('a 1 delivered', 'a 2 delivered');
      expect(await standings()).toHaveLength(2);
      expect(calls).toEqual(expected);
    },
  );

  it('goes with it where that was not applied: nothing is taken back that never was', async () => {
    const shops = Shops.open(...counters);
    // The void is met by an answer that would park the sale: its lane does not wait for the end of the lease.
    fixture.settings = { ...fixture.settings, leaseMs: leaseMsEndless };
    const [begun, gate] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    await shops.tell(shops.event(completed, berlin));
    shops.start(async () => {
      begun.resolve(undefined);
      await gate.promise;
      return refusal;
    });
    await begun.promise;
    await shops.tell(
      shops.event(voided, { ...berlin, memberId: 'b' }),
      shops.event(refunded, { ...berlin, memberId: 'c' }),
    );
    await untilStanding('a 3 parked over-refund');
    gate.resolve(undefined);
    await untilStanding('a 1 cancelled voided', 'a 2 cancelled nothing-to-take-back', 'a 3 parked over-refund');
    expect(calls).toEqual(['a 59.99 rejected']);
  });

  it('parks with it where nobody knows, and both name why', async () => {
    const shops = Shops.open(...counters, ['inFlightMs: 120000', 'inFlightMs: 500']);
    const [begun, gate] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    await shops.tell(shops.event(completed, berlin));
    shops.start(async () => {
      begun.resolve(undefined);
      await gate.promise;
      return lost;
    });
    await begun.promise;
    await shops.tell(shops.event(voided, { ...berlin, memberId: 'b' }));
    gate.resolve(undefined);
    await untilStanding('a 1 parked unknown-outcome', 'a 2 parked missing-purchase');
    const [parked] = await fixture.sql<{ cause: unknown }>(
      `SELECT data->'cause' AS cause FROM intent_history WHERE type = 'IntentParked' AND data->>'reason' = 'unknown-outcome'`,
    );
    expect(parked?.cause).toMatchObject({ topic: 'loyalty.purchases', offset: 1 });
    expect(calls).toEqual(['a 59.99 unknown']);
  });
});

describe('a void that names another total than its purchase', () => {
  const dearer = { ...berlin, total: { minor: 6000, currency: 'EUR' } };

  it('leaves to a person a purchase that is not sent yet; one that agrees cancels it', async () => {
    const shops = Shops.open(...counters);
    await shops.tell(shops.event(completed, berlin));
    expect(await shops.tell(shops.event(voided, dearer))).toEqual(['recorded']);
    expect(await standings()).toEqual(['a 1 parked conflict']);
    expect(await shops.tell(shops.event(voided, dearer))).toEqual(['nothing-to-cancel']);
    await shops.tell(shops.event(completed, { ...berlin, purchaseId: '119' }));
    shops.start();
    await untilStanding('a 2 delivered');
    expect(calls).toEqual(['a 59.99']);
    const [parked] = await fixture.sql<{ cause: unknown }>(
      `SELECT data->'cause' AS cause FROM intent_history WHERE type = 'IntentParked'`,
    );
    expect(parked?.cause).toMatchObject({ topic: 'loyalty.purchases', offset: 1 });
    expect(await shops.tell(shops.event(voided, { ...berlin, reason: 'mended' }))).toEqual(['recorded']);
    expect(await standings()).toEqual(['a 1 cancelled voided', 'a 2 delivered']);
  });

  it('does not hold the queue that its purchase held', async () => {
    const shops = Shops.open(...counters, ['transaction: continue', 'transaction: block']);
    await shops.tell(shops.event(completed, berlin), shops.event(completed, { ...berlin, purchaseId: '119' }));
    shops.start((call) => (calls.includes(`${call} rejected`) ? applied : refusal));
    await untilStanding('a 1 parked rejected');
    await shops.tell(shops.event(voided, dearer));
    await untilStanding('a 1 parked conflict', 'a 2 delivered');
  });

  it.each([
    ['another amount', dearer, 'parked conflict'],
    [
      'the same amount, with digits that go without saying',
      { ...berlin, total: { ...berlin.total, digits: 2 } },
      'delivered',
    ],
  ])('takes nothing back too late that was not paid: %s', async (_what, data, expected) => {
    const shops = Shops.open(...counters);
    await shops.tell(shops.event(completed, berlin));
    shops.start();
    await untilStanding('a 1 delivered');
    expect(await shops.tell(shops.event(voided, data))).toEqual(['recorded']);
    await untilStanding(`a 2 ${expected}`);
    expect(calls).toEqual(expected === 'delivered' ? ['a 59.99', 'a -59.99'] : ['a 59.99']);
  });
});

describe('a reward that names its sale', () => {
  const own = { grantId: 'g', purchaseId: berlin.purchaseId };

  it.each([
    ['told before it', [granted, voided]],
    ['told after it', [voided, granted]],
  ] as const)('is cancelled with that by a void in time, %s', async (_when, later) => {
    const shops = Shops.open();
    await shops.tell(shops.event(completed, berlin));
    for (const name of later) await shops.tell(shops.event(name, name === granted ? own : berlin));
    shops.start();
    await untilStanding('a 1 cancelled voided', 'a 2 cancelled sale-cancelled');
    expect(calls).toEqual([]);
  });

  it('is cancelled where the void was told before the sale', async () => {
    const shops = Shops.open();
    await shops.tell(shops.event(voided, berlin));
    await shops.tell(shops.event(granted, own));
    shops.start();
    await untilStanding('a 1 parked missing-purchase', 'a 2 cancelled sale-cancelled');
    expect(calls).toEqual([]);
  });

  it('is given after it, and where nobody knows of it', async () => {
    const shops = Shops.open();
    await shops.tell(shops.event(completed, berlin), shops.event(granted, own));
    await shops.tell(shops.event(granted, { grantId: 'h', purchaseId: 'none' }));
    shops.start();
    await untilStanding('a 1 delivered', 'a 2 delivered', 'a 3 delivered');
    expect(calls).toEqual(['a 59.99', 'a 9001', 'a 9001']);
  });

  it('waits for a sale that is refused', async () => {
    const shops = Shops.open();
    await shops.tell(shops.event(completed, berlin), shops.event(granted, own));
    shops.start(() => refusal);
    await untilStanding('a 1 parked rejected', 'a 2 parked missing-purchase');
  });
});

describe('a revocation, where the file does not say how to take a grant back', () => {
  const own = { grantId: 'g' };

  it.each([
    [
      'waits for what becomes of its grant, and goes with it',
      refusal,
      ['a 1 cancelled revoked', 'a 2 cancelled nothing-to-take-back'],
    ],
    ['is for a person where its grant was applied after all', applied, ['a 1 delivered', 'a 2 parked unroutable']],
    ['is for a person where nobody knows of its grant', lost, ['a 1 parked unknown-outcome', 'a 2 parked unroutable']],
  ])('%s', async (_what, answer, expected) => {
    const shops = Shops.open(['inFlightMs: 120000', 'inFlightMs: 500']);
    const [begun, gate] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    await shops.tell(shops.event(granted, own));
    shops.start(async () => {
      begun.resolve(undefined);
      await gate.promise;
      return answer;
    });
    await begun.promise;
    expect(await shops.tell(shops.event(revoked, own))).toEqual(['recorded']);
    expect(await standings()).toEqual(['a 1 pending', 'a 2 pending']);
    gate.resolve(undefined);
    await untilStanding(...expected);
    expect(calls).toHaveLength(1);
  });

  it('cancels what the partner has not taken yet, and leaves nothing behind', async () => {
    const shops = Shops.open();
    await shops.tell(shops.event(granted, own));
    shops.start(() =>
      report({ kind: 'not-applied', answered: true, systemic: false, code: 'busy', retryAfterMs: 60_000 }),
    );
    await waitUntil(async () => calls.length > 0, { what: 'a first answer', timeoutMs: standingTimeoutMs });
    await fixture.drain();
    expect(await shops.tell(shops.event(revoked, own))).toEqual(['recorded']);
    expect(await standings()).toEqual(['a 1 cancelled revoked']);
  });
});

describe('a reward that is good until a certain time', () => {
  it('is given as long as it is good; what is held up for longer parks, and nothing of it is sent', async () => {
    const shops = Shops.open();
    const until = (ms: number): { validUntil: string } => ({
      validUntil: new Date(fixture.clock.now() + ms).toISOString(),
    });
    await shops.tell(
      shops.event(granted, { grantId: 'g-1', ...until(-1) }),
      shops.event(granted, { grantId: 'g-2', ...until(leaseMsEndless) }),
      shops.event(granted, { grantId: 'g-3', memberId: 'b', ...until(1_500) }),
    );
    const busy = report({
      kind: 'not-applied',
      code: 'http-429',
      answered: true,
      systemic: false,
      retryAfterMs: 2_000,
    });
    shops.start((call) => (call.startsWith('b') ? busy : applied));
    await untilStanding('a 1 parked expired', 'a 2 delivered', 'b 1 parked expired');
    expect(calls.filter((call) => call === 'a 9001')).toHaveLength(1);
    const [stored] = await fixture.sql<{ count: number }>(
      `SELECT count(*) AS count FROM intent WHERE valid_until IS NOT NULL`,
    );
    expect(stored?.count).toBe(3);
  });
});
