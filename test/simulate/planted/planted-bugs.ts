import type { PlantedBug } from './planted-bug.js';

/** Bugs by name. */
export const plantedBugs: readonly PlantedBug[] = [];
