import type { Program } from '#contracts';
import type { Operation } from '#intents/core';

import { deliverySettings } from '../settings.js';
import { Agenda, Chance, noTrouble } from './agenda.js';
import { exampleProgram, startAt } from './engine-harness.js';
import type { ProcessContext } from './engine-process.js';
import { EngineActor } from './engine-process.js';
import { FakeDatabase } from './fake-database.js';
import { FakePartner } from './fake-partner.js';
import { FakeCoordination, FakeStore } from './fake-store.js';
import { Judge } from './judge.js';
import type { Scenario } from './scenario.js';

const programNames = ['alpha', 'beta'] as const;
const partnerTimeoutMs = 2_000;
const inFlightMs = 20_000;
/** After the last fault everything must come to rest within this virtual time: the longest backoff is five minutes. */
const restsWithinMs = 1_800_000;

/** A store, a partner, a few engines, and everything that goes wrong, in one virtual time. Same scenario, same run. */
class World {
  readonly judge: Judge;
  readonly around: ProcessContext;
  readonly chance: Chance;
  actors: EngineActor[] = [];
  readonly programs: Readonly<Record<string, Program>>;
  private inForce: Readonly<Record<string, Program>>;
  isFaultFree = false;
  private started = 0;

  constructor(readonly scenario: Scenario) {
    const chance = new Chance(scenario.seed);
    const agenda = new Agenda(startAt, chance);
    const store = new FakeStore();
    const coordination = new FakeCoordination(store);
    const trouble = { ...noTrouble(), ...scenario.trouble };
    const settings = { ...deliverySettings(partnerTimeoutMs), ...scenario.settings, idlePollMs: 100 };
    const database = new FakeDatabase(store, agenda, { chance, trouble });
    const partner = new FakePartner(agenda, chance, { trouble, timeoutMs: partnerTimeoutMs, inFlightMs });
    this.chance = chance;
    this.around = { agenda, chance, trouble, store, coordination, database, partner, settings };
    this.judge = new Judge(this.around, scenario);
    this.programs = Object.fromEntries(programNames.map((name) => [name, this.programOf()]));
    this.inForce = this.programs;
    this.judge.programs = new Set(programNames);
    store.onChange = (lane) => {
      this.judge.changed(lane);
    };
    for (let laneId = 1; laneId <= scenario.lanes; laneId += 1) {
      if (chance.happens(scenario.withPass)) partner.enrol(laneId);
      this.arrive(laneId, scenario.intentsPerLane);
    }
    for (let count = 0; count < scenario.engines; count += 1) this.startEngine();
  }

  get alive(): EngineActor[] {
    return this.actors.filter((actor) => actor.isAlive);
  }

  startEngine(): void {
    this.started += 1;
    const actor = new EngineActor(`engine-${this.started}`, this.around, this.judge);
    this.actors.push(actor);
    actor.start(this.inForce);
  }

  /** The programs file was read again. */
  usePrograms(programs: Readonly<Record<string, Program>>): void {
    this.inForce = programs;
    this.judge.programs = new Set(Object.keys(programs));
    for (const actor of this.alive) actor.usePrograms(programs);
  }

  /** From now on nothing goes wrong, and one engine is new: the others may all be draining. */
  endFaults(): void {
    this.isFaultFree = true;
    Object.assign(this.around.trouble, noTrouble());
    this.around.coordination.pauses = [];
    this.usePrograms(this.programs);
    this.startEngine();
  }

  /** Records new intents for a lane and, mostly, wakes the engines. */
  arrive(laneId: number, count: number, first?: Operation): void {
    const { store, agenda } = this.around;
    const operations = Array.from({ length: count }, () => this.operation());
    if (first !== undefined) operations[0] = first;
    const program = programNames[laneId % programNames.length] ?? 'alpha';
    store.arrive(laneId, program, { operations, now: agenda.now });
    if (this.chance.happens(0.7)) for (const actor of this.alive) actor.enqueue({ type: 'Woken', isWorkLikely: true });
  }

  /** Runs on until every lane is at rest and no engine has anything in its hands. */
  runToRest(): void {
    const { agenda, store } = this.around;
    let turns = 0;
    agenda.run(agenda.now + restsWithinMs, () => {
      turns += 1;
      if (this.judge.violations.length > 0) return true;
      return (
        turns % 16 === 0 && [...store.lanes.values()].every(({ dueAt }) => dueAt === null) && this.alive.every(isIdle)
      );
    });
  }

  private operation(): Operation {
    return this.chance.pick(['transaction', 'transaction', 'reward', 'update-via-workflow'] as const) ?? 'transaction';
  }

  private programOf(): Program {
    const { limits, onPark } = this.scenario;
    const example = exampleProgram();
    return {
      ...example,
      limits: { ...limits, replayShare: 0.2 },
      retries: { maxAttempts: 2, maxAgeMs: 3_600_000 },
      missingPass: { waitMs: 60_000 },
      inFlightMs,
      onPark: { ...example.onPark, transaction: onPark, reward: onPark, update: onPark },
    };
  }
}

function isIdle({ engine }: EngineActor): boolean {
  return Object.values(engine.load).every((count) => count === 0);
}

type Mishap = keyof Scenario['mishaps'];

function outage(world: World, which: 'isDatabaseAway' | 'isPartnerAway'): void {
  const { agenda, trouble } = world.around;
  trouble[which] = true;
  agenda.after(world.chance.between(100, 8_000), () => {
    trouble[which] = false;
  });
}

function loseEngine(world: World, how: 'die' | 'drain'): void {
  const actor = world.chance.pick(world.alive);
  if (actor === undefined) return;
  if (how === 'die') actor.die();
  else actor.enqueue({ type: 'DrainRequested' });
  world.around.agenda.after(world.chance.between(1, 5_000), () => {
    if (!world.isFaultFree) world.startEngine();
  });
}

/** The programs file is read again without one program, and a while later with it. */
function reload(world: World): void {
  const gone = world.chance.pick(Object.keys(world.programs));
  const kept = Object.entries(world.programs).filter(([name]) => name !== gone);
  world.usePrograms(Object.fromEntries(kept));
  world.around.agenda.after(world.chance.between(1, 5_000), () => {
    world.usePrograms(world.programs);
  });
}

function randomLane(world: World): number {
  return world.chance.between(1, world.scenario.lanes);
}

/** Mostly what is about to be sent or has been overtaken: there the order of cancel and begin is close. */
function cancelOne(world: World, laneId = randomLane(world)): void {
  const cursor = world.around.store.lanes.get(laneId)?.cursor;
  if (cursor === undefined) return;
  const near = world.chance.happens(0.5) ? cursor.current : cursor.head;
  const seq = world.chance.happens(0.7) ? Math.min(near, cursor.tail) : world.chance.between(1, cursor.tail);
  world.around.store.cancel({ laneId, seq }, world.around.agenda.now);
}

/** Often what the enrolment overtakes is cancelled while the enrolment is under way. */
function enrol(world: World): void {
  const laneId = randomLane(world);
  world.arrive(laneId, world.chance.between(1, 2), 'issue');
  if (!world.chance.happens(0.5)) return;
  world.around.agenda.after(world.chance.between(0, 100), () => {
    cancelOne(world, laneId);
  });
}

/** Of one program or all, of one operation or all; lifted by a person some time later. */
function pause(world: World): void {
  const { agenda, coordination } = world.around;
  const program = world.chance.pick([null, ...Object.keys(world.programs)]) ?? null;
  const operation = world.chance.pick([null, 'transaction', 'reward', 'update-via-workflow', 'issue'] as const) ?? null;
  coordination.set({ program, operation, automatic: false }, agenda.now);
  agenda.after(world.chance.between(100, 20_000), () => {
    coordination.lift({ program, operation });
  });
}

const mishaps: Record<Mishap, (world: World) => void> = {
  deaths: (world) => {
    loseEngine(world, 'die');
  },
  drains: (world) => {
    loseEngine(world, 'drain');
  },
  databaseOutages: (world) => {
    outage(world, 'isDatabaseAway');
  },
  partnerOutages: (world) => {
    outage(world, 'isPartnerAway');
  },
  cancels: (world) => {
    cancelOne(world);
  },
  arrivals: (world) => {
    world.arrive(randomLane(world), world.chance.between(1, 3));
  },
  enrolments: enrol,
  reloads: reload,
  pauses: pause,
  poisonings: (world) => {
    const { agenda, trouble } = world.around;
    trouble.poisonedLane = randomLane(world);
    agenda.after(world.chance.between(100, 8_000), () => {
      trouble.poisonedLane = null;
    });
  },
};

/** Puts everything that will go wrong on the agenda, at random moments of the troubled time. */
function planMishaps(world: World): void {
  const { agenda } = world.around;
  const { mishaps: counts, troubledMs } = world.scenario;
  for (const [name, strike] of Object.entries(mishaps)) {
    for (let count = 0; count < counts[name as Mishap]; count += 1) {
      agenda.after(world.chance.between(0, troubledMs), () => {
        strike(world);
      });
    }
  }
}

const drainsWithinMs = 60_000;
const lateOutcomesMs = 1_000;

/** Runs a scenario: trouble, then calm until everything is at rest, then all is drained with new work under way. */
export function runWorld(scenario: Scenario): World {
  const world = new World(scenario);
  const { agenda } = world.around;
  planMishaps(world);
  agenda.run(agenda.now + scenario.troubledMs, () => world.judge.violations.length > 0);
  world.endFaults();
  world.runToRest();
  if (world.judge.violations.length > 0) return world;
  // Late outcomes are recorded behind the engine's back, and may set a lane going again.
  agenda.run(agenda.now + lateOutcomesMs, () => false);
  world.runToRest();
  world.judge.atRest();
  for (const actor of world.alive) if (!isIdle(actor)) world.judge.note(`${actor.name} still holds something at rest`);
  drainAll(world);
  return world;
}

function drainAll(world: World): void {
  const { agenda, store } = world.around;
  const actors = world.alive;
  for (const laneId of store.lanes.keys()) world.arrive(laneId, 3);
  agenda.run(agenda.now + world.chance.between(0, 200), () => false);
  for (const actor of actors) actor.enqueue({ type: 'DrainRequested' });
  agenda.run(agenda.now + drainsWithinMs, () => false);
  for (const actor of actors) if (!actor.isDrained) world.judge.note(`${actor.name} never drained`);
  for (const lane of store.lanes.values()) {
    if (lane.owner !== null) world.judge.note(`lane ${lane.laneId} is leased after the drain`);
  }
}
