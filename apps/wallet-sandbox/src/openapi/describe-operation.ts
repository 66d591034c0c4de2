import type { Endpoint } from './endpoint.js';
import { type JsonSchema, queryProperties, toJsonSchema } from './json-schema.js';
import { errorSchema } from './named-schemas.js';
import type { SchemaSpelling } from './schema-spelling.js';

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

/** One operation of the description. */
export function describeOperation(endpoint: Endpoint, spelling: SchemaSpelling): JsonSchema {
  const { description, query, body } = endpoint;
  const id = operationId(endpoint);
  const isToken = id === 'token';
  return {
    operationId: id,
    summary: description.summary,
    description: `partner-api.md section ${description.section}`,
    ...(isToken ? { security: [] } : {}),
    parameters: [
      ...pathParameters(documentedPath(endpoint.path)),
      ...(query === null ? [] : queryProperties(query)).map((property) => ({
        ...property,
        name: spelling.parameter(id, property.name),
        in: 'query',
      })),
    ],
    ...(body === null ? {} : { requestBody: requestBody(spelling.body(id, toJsonSchema(body, 'input')), isToken) }),
    responses: {
      [spelling.successStatus(id)]: {
        description: 'Success',
        content: content(toJsonSchema(description.answer, 'output')),
      },
      ...errorAnswers(isToken ? tokenErrors : partnerErrors),
    },
  };
}

/** The operation's name to fault rules and the ledger; one that is told by its path is called after its summary. */
function operationId({ operation, description }: Endpoint): string {
  return typeof operation === 'string' ? operation : slug(description.summary);
}

function requestBody(schema: JsonSchema, isForm: boolean): JsonSchema {
  return {
    required: true,
    content: content(schema, isForm ? 'application/x-www-form-urlencoded' : 'application/json'),
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
