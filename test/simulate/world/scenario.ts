import { Chance } from '../kernel/chance.js';
import type { Fault, MomentFault, WeatherFault } from './fault.js';
import { faultNames, momentFaultNames, momentFaults, weatherFaultNames, weatherFaults } from './fault.js';
import type { ProgramSketch } from './program-sketch.js';
import { programSketch } from './program-sketch.js';

/** A fault that strikes with some probability while it lasts; times in ms from the world's beginning. */
export interface WeatherSpell {
  readonly fault: WeatherFault;
  readonly rate: number;
  readonly from: number;
  readonly until: number;
}

export interface FaultMoment {
  readonly fault: MomentFault;
  readonly at: number;
}

/** One world, whole: everything follows from the seed and from which faults are left on. */
export interface Scenario {
  readonly seed: number;
  readonly startsAt: number;
  readonly daemons: number;
  readonly programs: readonly ProgramSketch[];
  readonly membersPerProgram: number;
  readonly events: number;
  readonly partitions: number;
  /** Producers are done and faults end at this time. */
  readonly troubledMs: number;
  readonly inFlightMs: number;
  /** The partner takes unique values and members once only, as it is configured to. */
  readonly enforcesUniqueness: boolean;
  readonly hadPasses: boolean;
  readonly publishesOutcomes: boolean;
  readonly settings: {
    readonly lanesHeldMax: number;
    readonly claimBatchSizeMax: number;
    readonly flushBatchSizeMax: number;
    readonly flushesMax: number;
  };
  readonly spells: readonly WeatherSpell[];
  readonly moments: readonly FaultMoment[];
  /** Faults that strike in this world. */
  readonly faults: readonly Fault[];
}

const startsAt = Date.parse('2026-11-21T10:00:00Z');
/** Share of faults that are on in a world: some worlds have few, some many. */
const onShares = [0, 0.08, 0.15, 0.3, 0.5] as const;

/** Draws the world of a seed. @param without faults that are switched off, for shrinking */
export function scenarioOf(seed: number, without: ReadonlySet<Fault> = new Set()): Scenario {
  const chance = new Chance(seed).fork('scenario');
  const troubledMs = chance.between(8_000, 40_000);
  const onShare = chance.pick(onShares);
  const drawn = faultNames.filter((fault) => new Chance(seed).fork(`on ${fault}`).happens(onShare));
  const faults = drawn.filter((fault) => !without.has(fault));
  const inFlightMs = chance.between(3, 10) * 1_000;
  const size = chance.pick(['small', 'small', 'middle', 'large'] as const);
  return {
    seed,
    startsAt,
    daemons: chance.between(1, 3),
    programs: [
      programSketch('alpha', chance.fork('alpha'), inFlightMs),
      programSketch('beta', chance.fork('beta'), inFlightMs),
    ],
    membersPerProgram: chance.between(1, { small: 2, middle: 4, large: 6 }[size]),
    events: chance.between(8, { small: 20, middle: 40, large: 80 }[size]),
    partitions: chance.between(1, 3),
    troubledMs,
    inFlightMs,
    enforcesUniqueness: !chance.happens(0.06),
    hadPasses: chance.happens(0.15),
    publishesOutcomes: chance.happens(0.3),
    settings: {
      lanesHeldMax: chance.pick([1, 2, 4, 64]),
      claimBatchSizeMax: chance.pick([1, 2, 8, 64]),
      flushBatchSizeMax: chance.pick([1, 2, 8, 64]),
      flushesMax: chance.pick([1, 2]),
    },
    spells: faults.flatMap((fault) => spellsOf(fault, { seed, troubledMs })),
    moments: faults.flatMap((fault) => momentsOf(fault, { seed, troubledMs })),
    faults,
  };
}

interface Frame {
  readonly seed: number;
  readonly troubledMs: number;
}

function spellsOf(fault: Fault, { seed, troubledMs }: Frame): WeatherSpell[] {
  const name = weatherFaultNames.find((candidate) => candidate === fault);
  if (name === undefined) return [];
  const chance = new Chance(seed).fork(`spells ${fault}`);
  const rate = weatherFaults[name] * (0.1 + 0.9 * chance.unit());
  if (chance.happens(0.4)) return [{ fault: name, rate, from: 0, until: troubledMs }];
  return Array.from({ length: chance.between(1, 3) }, () => {
    const from = chance.unit() * troubledMs;
    return { fault: name, rate, from, until: Math.min(troubledMs, from + chance.unit() * 12_000) };
  });
}

function momentsOf(fault: Fault, { seed, troubledMs }: Frame): FaultMoment[] {
  const name = momentFaultNames.find((candidate) => candidate === fault);
  if (name === undefined) return [];
  const chance = new Chance(seed).fork(`moments ${fault}`);
  return Array.from({ length: chance.between(1, momentFaults[name]) }, () => {
    return { fault: name, at: chance.unit() * troubledMs };
  });
}
