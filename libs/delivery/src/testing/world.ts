import type { Program } from '#contracts';
import type { Operation } from '#domain';

import { deliverySettings } from '../settings.js';
import { exampleProgram, startAt } from './engine-harness.js';
import { Agenda } from './agenda.js';
import { Chance } from './chance.js';
import { EngineActor } from './engine-actor.js';
import { FakeCoordination } from './fake-coordination.js';
import { FakeDatabase } from './fake-database.js';
import { FakePartner } from './fake-partner.js';
import { FakeStore } from './fake-store.js';
import { Judge } from './judge.js';
import { recordIntents } from './others.js';
import type { Scenario } from './scenario.js';
import { isAtRest } from './stored-lane.js';
import type { Surroundings } from './surroundings.js';
import { noTrouble } from './trouble.js';

const programNames = ['alpha', 'beta'] as const;
const partnerTimeoutMs = 2_000;
const inFlightMs = 20_000;
/** After the last fault everything must come to rest within this virtual time: the longest backoff is five minutes. */
const restsWithinMs = 1_800_000;

/** A store, a partner, a few engines, and everything that goes wrong, in one virtual time. Same scenario, same run. */
export class World {
  readonly judge: Judge;
  readonly around: Surroundings;
  readonly chance: Chance;
  actors: EngineActor[] = [];
  readonly programs: Readonly<Record<string, Program>>;
  private inForce: Readonly<Record<string, Program>>;
  isCalm = false;
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
  calm(): void {
    this.isCalm = true;
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
    recordIntents(store, { laneId, program, operations, now: agenda.now });
    if (this.chance.happens(0.7)) for (const actor of this.alive) actor.tell({ type: 'Woken', isWorkLikely: true });
  }

  /** Runs on until every lane is at rest and no engine has anything in its hands. */
  runToRest(): void {
    const { agenda, store } = this.around;
    let turns = 0;
    agenda.run(agenda.now + restsWithinMs, () => {
      turns += 1;
      if (this.judge.violations.length > 0) return true;
      return turns % 16 === 0 && [...store.lanes.values()].every(isAtRest) && this.alive.every(isIdle);
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

export function isIdle({ engine }: EngineActor): boolean {
  return Object.values(engine.load).every((count) => count === 0);
}
