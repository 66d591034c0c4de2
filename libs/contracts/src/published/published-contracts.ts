import type { TopicNames } from '../environment/index.js';
import { DEFAULT_TOPICS } from '../environment/index.js';
import { asyncApi } from './async-api.js';
import type { JsonSchema } from './event-schemas.js';
import { outcomeEventSchemas, sourceEventSchemas } from './event-schemas.js';

/** What producers and readers of our topics need to know. */
export interface PublishedContracts {
  readonly asyncapi: JsonSchema;
  /** JSON Schemas by event type. */
  readonly schemas: Readonly<Record<string, JsonSchema>>;
}

/** Made anew by each call, from the schemas that the daemon itself checks with. */
export function publishedContracts(topics: TopicNames = DEFAULT_TOPICS): PublishedContracts {
  const schemas = { ...sourceEventSchemas(), ...outcomeEventSchemas() };
  return { asyncapi: asyncApi(schemas, topics), schemas };
}
