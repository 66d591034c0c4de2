export type * from './partner-command.js';
export type * from './route-result.js';
export { canonicalJson } from './canonical-json.js';
export { businessKeyText, eventContentText, eventKeyText } from './dedup-key-text.js';
export type { BusinessIdentity } from './dedup-key-text.js';
export { compareEventOrder } from './event-order.js';
export type { EventPosition } from './event-order.js';
export { amountText, currencyDigits } from './amount-text.js';
export { routeSourceEvent } from './route-source-event.js';
