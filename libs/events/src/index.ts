export type { ExactDocument } from './formats/source-format.js';
export { UnavailableError } from './formats/source-format.js';
export type { DecodedRecord, UnvalidatedEvent } from './source-events.js';
export { decodeSourceRecord, readUnvalidatedEvent } from './source-events.js';
export type { SourceEvent, SourceEventName, SourceEventOf } from './source-events.js';
export {
  CORRECTABLE_DATA,
  eventTypeOf,
  isSourceEventName,
  nativeAuthority,
  routeSourceEvent,
  ruleOfType,
  sampleEvent,
  SOURCE_EVENT_SAMPLES,
  SOURCE_EVENT_SCHEMAS,
} from './source-events.js';
export { publishedContracts } from './published/published-contracts.js';
export { eventPlanner, planAnew } from './plan-anew.js';
export type { JudgeFormat } from './sources/check-sources.js';
export { sourceProblems } from './sources/check-sources.js';
export { compileKey, compileMap } from './mapping/compile-map.js';
export type { CompiledKey, CompiledMap, KeyResult, MapInput, MappedEvent, MapResult } from './mapping/compiled-map.js';
export { MapError } from './mapping/map-error.js';
export type { MappedRecord } from './sources/read-documents.js';
export { mapRecord, personsInBytes } from './sources/read-documents.js';
export type { OpenFormat, SourceMapping, TopicSource } from './sources/source-tables.js';
export { openSource, SourceTables } from './sources/source-tables.js';
