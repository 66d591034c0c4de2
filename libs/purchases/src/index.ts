export { purchaseEventTypes } from './purchase-event-types.js';
