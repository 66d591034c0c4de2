/** For the specs of other libraries: a store of their own, with records and deliveries in it as intents' own specs make them. */
export * from './lease.js';
export * from './records.js';
export * from './test-store.js';
