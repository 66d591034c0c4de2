import type { Database } from '#platform';

import type { DaemonPorts } from '../daemon/sim-daemon.js';
import type { Chance } from '#shop';
import type { ProgramSketch, Scenario } from '../world/scenario.js';

/** A bug that somebody could make, put between the daemons and the outside: a simulation must find it. */
export interface PlantedBug {
  readonly name: string;
  /** What would be wrong with the code. */
  readonly what: string;
  /** A world that showed it. Worlds change with the product: where it no longer does, others are tried. */
  readonly seenIn: number;
  /** Puts something between a daemon and its ports. */
  readonly change: (ports: DaemonPorts, chance: Chance) => DaemonPorts;
  /** The same between a person's tools and the database. */
  readonly operators: (database: Database) => Database;
  /** What the daemons read, while the judges know what it should be. */
  readonly programs: (sketches: readonly ProgramSketch[]) => readonly ProgramSketch[];
  /** The retailer's own file says so: the retailer's judge reads that, too. */
  readonly isInFile: boolean;
  /** A world in which it can show: nothing that may not happen in any, but more of it. It has it without the bug, too. */
  readonly world: (scenario: Scenario) => Scenario;
}

export const noBug: PlantedBug = {
  name: 'none',
  what: 'nothing',
  seenIn: 0,
  change: (ports) => ports,
  operators: (database) => database,
  programs: (sketches) => sketches,
  isInFile: false,
  world: (scenario) => scenario,
};
