import { planMishaps } from './mishaps.js';
import type { Scenario } from './scenario.js';
import { isIdle, World } from './world.js';

const drainsWithinMs = 60_000;
const lateOutcomesMs = 1_000;

/** Runs a scenario: trouble, then calm until everything is at rest, then all is drained with new work under way. */
export function runWorld(scenario: Scenario): World {
  const world = new World(scenario);
  const { agenda } = world.around;
  planMishaps(world);
  agenda.run(agenda.now + scenario.troubledMs, () => world.judge.violations.length > 0);
  world.calm();
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
  for (const actor of actors) actor.tell({ type: 'DrainRequested' });
  agenda.run(agenda.now + drainsWithinMs, () => false);
  for (const actor of actors) if (!actor.isDrained) world.judge.note(`${actor.name} never drained`);
  for (const lane of store.lanes.values()) {
    if (lane.owner !== null) world.judge.note(`lane ${lane.laneId} is leased after the drain`);
  }
}
