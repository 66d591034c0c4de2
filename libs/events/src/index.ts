export type { DecodedRecord, UnvalidatedEvent } from './decode-source-record.js';
export { decodeSourceRecord, readUnvalidatedEvent } from './decode-source-record.js';
export type { SourceEvent, SourceEventName, SourceEventOf } from './event-types.js';
export {
  CORRECTABLE_DATA,
  eventTypeOf,
  isSourceEventName,
  routeSourceEvent,
  ruleOfType,
  sampleEvent,
  SOURCE_EVENT_SAMPLES,
  SOURCE_EVENT_SCHEMAS,
} from './event-types.js';
export { publishedContracts } from './published/published-contracts.js';
