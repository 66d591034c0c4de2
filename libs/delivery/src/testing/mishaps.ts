import type { Scenario } from './scenario.js';
import type { World } from './world.js';
import { cancel } from './others.js';

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
  else actor.tell({ type: 'DrainRequested' });
  world.around.agenda.after(world.chance.between(1, 5_000), () => {
    if (!world.isCalm) world.startEngine();
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
  cancel(world.around.store, { laneId, seq }, world.around.agenda.now);
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
export function planMishaps(world: World): void {
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
