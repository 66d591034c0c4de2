import { describeOperation, documentedPath } from './describe-operation.js';
import type { Endpoint } from './endpoint.js';
import { componentSchemas, type JsonSchema } from './json-schema.js';
import type { SchemaSpelling } from './schema-spelling.js';

/** The scheme's name and kind are given (partner-api.md section 5.7). */
const securityScheme = 'oauth-authorizer';

/** The OpenAPI 3.1 description of the endpoints, from the schemas that validate their requests. */
export function buildDocument(endpoints: readonly Endpoint[], spelling: SchemaSpelling): JsonSchema {
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const endpoint of endpoints) {
    const path = documentedPath(endpoint.path);
    paths[path] = { ...paths[path], [endpoint.method]: describeOperation(endpoint, spelling) };
  }
  const schemas = Object.entries(componentSchemas()).map(([name, schema]) => [name, spelling.component(name, schema)]);
  return {
    openapi: '3.1.0',
    info: { title: 'Wallet Card API (sandbox)', version: '1.0.0' },
    servers: [{ url: '/' }],
    security: [{ [securityScheme]: [] }],
    paths,
    components: {
      schemas: Object.fromEntries(schemas) as JsonSchema,
      securitySchemes: {
        [securityScheme]: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description: '`Bearer` and an access token of `POST /oauth2/token`',
        },
      },
    },
  };
}
