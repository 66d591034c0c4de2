export * from './identifier.js';
export * from './money.js';
export * from './member-events.js';
export * from './purchase-events.js';
export * from './reward-events.js';
export * from './source-event.js';
export type * from './source-record.js';
export { decodeSourceRecord } from './decode-source-record.js';
