import type { Endpoint } from './endpoint.js';
import { componentSchemas, type JsonSchema, queryProperties, toJsonSchema } from './json-schema.js';
import { errorSchema } from './named-schemas.js';

/** The scheme's name and kind are given (partner-api.md section 5.7). */
const securityScheme = 'oauth-authorizer';

/** What a path's last identifier identifies, by the segment before it. */
const targetNames: Readonly<Record<string, string>> = {
  workflows: 'workflow_id',
  rewards: 'reward_id',
  'transaction-types': 'transaction_type_id',
  attributes: 'brand_attribute_id',
};

const partnerErrors: Readonly<Record<number, string>> = {
  400: 'Refused: the request is not valid, or the partner says no',
  401: 'The access token is missing, unknown or expired',
  404: 'The path names something that does not exist',
  413: 'The body is too large',
  415: 'The body is not JSON',
};
const tokenErrors: Readonly<Record<number, string>> = {
  400: 'The request is not a client credentials request',
  401: 'Unknown client or wrong secret',
};

/** The OpenAPI 3.1 description of the endpoints, from the schemas that validate their requests. */
export function buildDocument(endpoints: readonly Endpoint[]): JsonSchema {
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const endpoint of endpoints) {
    const path = documentedPath(endpoint.path);
    paths[path] = { ...paths[path], [endpoint.method]: describeOperation(endpoint, path) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Wallet Card API (sandbox)', version: '1.0.0' },
    servers: [{ url: '/' }],
    security: [{ [securityScheme]: [] }],
    paths,
    components: {
      schemas: componentSchemas(),
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

/** `/brands/:brandId/rewards/:targetId` as `/brands/{brand_id}/rewards/{reward_id}`. */
export function documentedPath(path: string): string {
  const segments = path.split('/');
  const named = segments.map((segment, index) => {
    if (!segment.startsWith(':')) return segment;
    const name = segment === ':targetId' ? targetNames[segments[index - 1] ?? ''] : undefined;
    return `{${name ?? segment.slice(1).replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}}`;
  });
  return named.join('/');
}

function describeOperation(endpoint: Endpoint, path: string): JsonSchema {
  const { operation, description, query, body } = endpoint;
  const isToken = operation === 'token';
  const contentType = isToken ? 'application/x-www-form-urlencoded' : 'application/json';
  return {
    operationId: typeof operation === 'string' ? operation : slug(description.summary),
    summary: description.summary,
    description: `partner-api.md section ${description.section}`,
    ...(isToken ? { security: [] } : {}),
    parameters: [...pathParameters(path), ...(query === null ? [] : queryParameters(query))],
    ...(body === null
      ? {}
      : { requestBody: { required: true, content: content(toJsonSchema(body, 'input'), contentType) } }),
    responses: {
      200: { description: 'Success', content: content(toJsonSchema(description.answer, 'output')) },
      ...errorAnswers(isToken ? tokenErrors : partnerErrors),
    },
  };
}

function pathParameters(path: string): JsonSchema[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function queryParameters(query: NonNullable<Endpoint['query']>): JsonSchema[] {
  return queryProperties(query).map((property) => ({ ...property, in: 'query' }));
}

function errorAnswers(errors: Readonly<Record<number, string>>): Record<string, JsonSchema> {
  const error = content(toJsonSchema(errorSchema, 'output'));
  return Object.fromEntries(
    Object.entries(errors).map(([status, description]) => [status, { description, content: error }]),
  );
}

function content(schema: JsonSchema, contentType = 'application/json'): JsonSchema {
  return { [contentType]: { schema } };
}

function slug(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
}
