export { DoorModule } from './door.module.js';
export { doorLimits } from './door-limits.js';
export type { DoorResult } from './door-settings.js';
export { DoorSettings } from './door-settings.js';
export type { DoorSource } from './door-source.js';
export { DoorSources } from './door-source.js';
export { durabilityOf, insyncReplicasMin, judgeDurability, tooFewRemedy } from './topic/durability.js';
export type { Durability } from './topic/durability.js';
