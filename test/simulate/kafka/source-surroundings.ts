import type { Chance } from '../kernel/chance.js';
import type { SimProcess } from '../kernel/sim-process.js';
import type { Broker } from './broker.js';
import type { ConsumerGroup } from './consumer-group.js';

/** What a process' source stands in. */
export interface SourceSurroundings {
  readonly broker: Broker;
  readonly group: ConsumerGroup;
  readonly process: SimProcess;
  readonly chance: Chance;
}
