export { asyncApi } from './async-api.js';
export type { TopicNames } from './async-api.js';
export { outcomeEventSchemas, sourceEventSchemas } from './event-schemas.js';
export type { JsonSchema } from './event-schemas.js';
