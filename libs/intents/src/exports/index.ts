export type { ExportedEvent, ExportedFact, ExportedIntent, ExportExtent, ExportPosition } from './exported-fact.js';
export { freezeExport } from './freeze-export.js';
export type { ExportWish, FrozenExport } from './freeze-export.js';
export { exportStart, readExport } from './read-export.js';
export type { ExportLook } from './read-export.js';
