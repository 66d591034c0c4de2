export type { Authority } from './authority.js';
export { isAllowed } from './authority.js';
export {
  eventContentText,
  decidedKeyText,
  eventKeyText,
  keyPart,
  keyParts,
  sentDataText,
  withOwnNumber,
} from './event-identity.js';
export type { EventType, Shown, ShownAs, ShownMembers, Subject } from './event-type.js';
export { declaredPattern, eventType, sourcePatterns } from './event-type.js';
export type { Mapped } from './event-values.js';
export {
  amountText,
  compact,
  currencyDigits,
  isAbsent,
  isScalar,
  joinParts,
  mapAttributes,
  offsetOf,
  orAbsent,
  valueAt,
} from './event-values.js';
export { contentType, headersOf, headersText } from './record-headers.js';
export type { Routing } from './routing.js';
export { intentOf, lateAs, parkedIntentOf, referenceOf } from './routing.js';
export type { EventData, EventOf, Money, SourceEventFrame } from './source-event.js';
export {
  identifierSchema,
  moneySchema,
  optionalIdentifierSchema,
  optionalInstantSchema,
  optionalText,
  stripTypePrefix,
} from './source-event.js';
export type { HeaderItem, HeaderValue, SourceRecord } from './source-record.js';
