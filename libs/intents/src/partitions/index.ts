export { countStrayEvents, strayEventsMax } from './count-stray-events.js';
export { keepPartitions } from './keep-partitions.js';
export type { PartitionsKept } from './keep-partitions.js';
export { partitionPositions } from './partition-plan.js';
export type { PartitionSizes } from './partition-plan.js';
