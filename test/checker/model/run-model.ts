import type { HeardOutcome, History, LaneHistory, ProgramPolicy, RunHistory } from '../history.js';
import { Agenda } from './agenda.js';
import { Chance } from '#shop';
import { ModelIngest } from './model-ingest.js';
import type { ModelLane } from './model-lane.js';
import { isIdle, modelProgram, rowOf } from './model-lane.js';
import { cancelSomething, decideSomething } from './model-operator.js';
import { inFlightMs, ModelPartner } from './model-partner.js';
import { ModelSource } from './model-source.js';
import { ModelStore } from './model-store.js';
import type { Surroundings } from './model-worker.js';
import { ModelWorker } from './model-worker.js';
import type { Bug, Plan } from './plan.js';

const startAt = Date.parse('2026-11-21T10:00:00Z');
/** After the last fault everything comes to rest within this virtual time. */
const restsWithinMs = 7_200_000;
/** Worker turns and the like after the last fault: a model with a mistake may never become idle. */
const tasksMax = 20_000;
const waitMs = 120_000;

/**
 * Runs a small model of the whole product, from the till to the partner, through faults until it is idle, and tells its history.
 * Decisions are the product's own (`decide`, `resolutionStep`); tables, leases, Kafka and the partner are the model's.
 * Same plan, same history.
 * @param bug a mistake to be made all along; null: none
 */
export function runModel(plan: Plan, bug: Bug | null = null): History {
  const model = new Model(plan, bug);
  return model.run();
}

function programOf({ policy }: Plan): ProgramPolicy {
  const { onPark, issue, update, transaction, reward } = policy;
  return {
    retries: { maxAttempts: 3, maxAgeMs: 3_600_000 },
    inFlightMs,
    missingPass: { waitMs },
    missingPurchase: { waitMs },
    onUnknown: { issue, update, transaction, reward, 'schedule-update': 'park' },
    onPark: { issue: 'block', update: onPark, transaction: onPark, reward: onPark, 'schedule-update': onPark },
    limits: { requestsPerSecond: null, concurrency: null, replayShare: 0.2 },
    refundWaits: true,
  };
}

class Model {
  private readonly agenda = new Agenda(startAt);
  private readonly chance: Chance;
  private readonly source: ModelSource;
  private readonly store: ModelStore;
  private readonly partner: ModelPartner;
  private readonly trouble: { share: number; stalls: number };
  private readonly around: Surroundings;
  private workers: ModelWorker[] = [];
  private isFaultFree = false;

  constructor(
    private readonly plan: Plan,
    bug: Bug | null,
  ) {
    this.chance = new Chance(plan.seed);
    this.trouble = { share: plan.trouble, stalls: plan.stalls };
    this.source = new ModelSource(this.chance, plan.members);
    this.store = new ModelStore(this.chance, bug);
    this.partner = new ModelPartner(this.agenda, this.chance, {
      trouble: this.trouble,
      enforces: bug !== 'values-not-enforced',
    });
    const { agenda, chance, store, partner, trouble } = this;
    this.around = { agenda, chance, store, partner, trouble, program: programOf(plan), bug };
  }

  run(): History {
    const { agenda, plan, source, store, chance } = this;
    const duringTrouble = (count: number, strike: () => void): void => {
      for (let index = 0; index < count; index += 1) agenda.after(chance.between(0, plan.troubledMs), strike);
    };
    duringTrouble(plan.records, () => source.produce());
    duringTrouble(plan.cancels, () => cancelSomething(this.around));
    duringTrouble(plan.operators, () => decideSomething(this.around));
    duringTrouble(plan.deaths, () => this.killOne());
    duringTrouble(5, () => store.sample(agenda.now));
    for (const partition of source.partitions) {
      new ModelIngest(partition, { agenda, chance, store, source, trouble: this.trouble }).start();
    }
    for (let index = 0; index < plan.workers; index += 1) this.startWorker();
    agenda.run(agenda.now + plan.troubledMs, () => false);
    this.endFaults();
    let tasks = 0;
    agenda.run(agenda.now + restsWithinMs, () => {
      tasks += 1;
      return tasks > tasksMax || this.isAtRest();
    });
    // Late commits and late outcomes are behind everything else.
    agenda.run(agenda.now + 2 * inFlightMs, () => false);
    if (store.bug === 'truth-updated') this.forge();
    return this.history();
  }

  private startWorker(): void {
    const worker = new ModelWorker(`worker-${this.workers.length + 1}`, this.around);
    this.workers.push(worker);
    worker.start();
  }

  private killOne(): void {
    const victim = this.chance.pickAny(this.workers.filter(({ isAlive }) => isAlive));
    if (victim === undefined || this.isFaultFree) return;
    victim.isAlive = false;
    this.agenda.after(this.chance.between(1, 4_000), () => this.startWorker());
  }

  private endFaults(): void {
    this.isFaultFree = true;
    Object.assign(this.trouble, { share: 0, stalls: 0 });
    this.startWorker();
  }

  private isAtRest(): boolean {
    const { source, store } = this;
    const isConsumed = source.partitions.every((partition) => {
      const stored = store.offsets.get(`${partition.topic}/${partition.partition}`) ?? 0;
      return source.read(partition, stored, 1).length === 0;
    });
    return isConsumed && [...store.lanes.values()].every(isIdle);
  }

  /** Somebody with too many rights mends the truth. */
  private forge(): void {
    const lane = [...this.store.lanes.values()].find(({ events }) => events.length > 0);
    const row = lane?.events[0];
    if (lane !== undefined && row !== undefined) {
      lane.events[0] = { ...row, event: { ...row.event, at: row.event.at - 1 } };
    }
  }

  private history(): History {
    const { store, partner, source } = this;
    store.sample(this.agenda.now);
    const lanes = [...store.lanes.values()];
    const known = new Set(lanes.map(({ memberId }) => memberId));
    const alive = this.workers.filter(({ isAlive }) => isAlive);
    const run: RunHistory = {
      programs: { [modelProgram]: this.around.program },
      log: source.log,
      dedup: [...store.dedup.values()],
      quarantine: store.quarantine,
      offsets: store.offsetSamples,
      unattributedEffects: partner.ledger.filter(({ uniqueId }) => !known.has(uniqueId ?? '')),
      notes: {
        isAtRest: true,
        isStopped: true,
        wasRebuilt: false,
        clockToleranceMs: 0,
        replicas: this.workers.length,
        partner: { enforcesUniqueness: true, othersWrite: false, othersUseOurValues: true, hadPasses: false },
        faults: {},
      },
      requests: partner.requests,
      answers: alive.flatMap(({ heard }) => heard),
      outcomes: lanes.flatMap(outcomesOf),
    };
    return { run, lanes: lanes.map((lane) => this.laneHistory(lane)) };
  }

  private laneHistory(lane: ModelLane): LaneHistory {
    const { partner, store } = this;
    const isOwn = ({ uniqueId }: { readonly uniqueId: string | null }): boolean => uniqueId === lane.memberId;
    return {
      lane: rowOf(lane),
      intents: lane.intents,
      events: lane.events,
      effects: partner.ledger.filter(isOwn),
      requests: partner.requests.filter(isOwn),
      samples: store.samples.get(lane.laneId) ?? [],
    };
  }
}

const outcomeNames: Readonly<Record<string, string>> = {
  AttemptApplied: 'loyalty.intent.delivered.v1',
  VerifiedApplied: 'loyalty.intent.delivered.v1',
  IntentParked: 'loyalty.intent.parked.v1',
};

/** What the outcomes topic told of a lane, some of it twice. */
function outcomesOf({ memberId, events }: ModelLane): HeardOutcome[] {
  const told = events.flatMap(({ seq, version, event }) => {
    const isDelivered = event.type === 'IntentResolved' && event.as === 'delivered';
    const name = isDelivered ? 'loyalty.intent.delivered.v1' : outcomeNames[event.type];
    return name === undefined
      ? []
      : [{ id: `${memberId} ${version} ${name}`, name, program: modelProgram, memberId, seq }];
  });
  return told.flatMap((outcome, index) =>
    index % 3 === 2 ? [outcome, ...told.slice(index - 1, index + 1)] : [outcome],
  );
}
