import { z } from 'zod';

import { API_ROUTES, apiBodyBytesMax, type ApiRoute, ROOT_ROUTES } from './api-routes.js';

type Json = Readonly<Record<string, unknown>>;

const apiVersion = '1';

/** RFC 9457, as every refusal is answered. */
const problemSchema = z.object({
  type: z.string().describe('`urn:loyaltyd:problem:` and a stable code.'),
  title: z.string(),
  status: z.number().int(),
  detail: z.string().optional(),
  instance: z.string().describe('`urn:loyaltyd:request:` and the `x-request-id` of the answer.'),
});

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _version, ...json } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    target: 'draft-2020-12',
  });
  return json;
}

function json(schema: Json): Json {
  return { 'application/json': { schema } };
}

function parametersIn(place: 'path' | 'query', parameters: z.ZodObject | undefined): Json[] {
  return Object.entries(parameters?.shape ?? {}).map(([name, schema]) => ({
    name,
    in: place,
    required: place === 'path',
    schema: jsonSchema(schema as z.ZodType, 'input'),
  }));
}

function operationId({ method, path }: ApiRoute): string {
  const words = path.split('/').flatMap((part) => part.replace(/[{}]/g, ''));
  return [method, ...words.filter((word) => word !== '')].join('-');
}

/** What is answered with 200. */
function contentOf({ answer, events, textType }: ApiRoute): Json {
  const type = events === undefined ? textType : 'text/event-stream';
  if (type !== undefined) return { [type]: { schema: { type: 'string' } } };
  return json(answer === undefined ? {} : jsonSchema(answer, 'output'));
}

function eventLines(events: ApiRoute['events']): string[] {
  return Object.entries(events ?? {}).map(([name, data]) => `Event \`${name}\`: ${data}.`);
}

const limits: Readonly<Record<ApiRoute['programs'], readonly string[]>> = {
  none: [],
  filtered: ['A token limited to programs is answered what is of them.'],
  named: ['To a token limited to programs nothing else is there.'],
  whole: ['Not for tokens limited to programs.'],
};

function descriptionOf({ role, programs, adminFor, events, isMetrics }: ApiRoute): string {
  return [
    ...(role === null ? [] : [`Needs the role ${role}.`]),
    ...(adminFor === undefined ? [] : [adminFor]),
    ...limits[programs],
    ...(isMetrics === undefined ? [] : ['OPS_METRICS may ask for a token of any role, or close it.']),
    ...eventLines(events),
  ].join(' ');
}

function operationOf(route: ApiRoute): Json {
  const { summary, role, programs, params, query, body } = route;
  const description = descriptionOf(route);
  const problem = { $ref: '#/components/responses/Problem' };
  return {
    operationId: operationId(route),
    summary,
    'x-role': role,
    'x-programs': programs,
    ...(role === null ? { security: [] } : {}),
    ...(description === '' ? {} : { description }),
    parameters: [...parametersIn('path', params), ...parametersIn('query', query)],
    ...(body === undefined ? {} : { requestBody: bodyOf(body, route.bodyBytesMax) }),
    responses: {
      200: { description: 'Done.', content: contentOf(route) },
      default: problem,
    },
  };
}

function bodyOf(body: z.ZodType, bytesMax = apiBodyBytesMax): Json {
  return {
    required: !body.safeParse({}).success,
    description: `At most ${bytesMax / 1024} KiB.`,
    content: json(jsonSchema(body, 'input')),
  };
}

function pathItems(routes: readonly ApiRoute[], ofAll: Json = {}): Json {
  const paths = Map.groupBy(routes, ({ path }) => path);
  return Object.fromEntries(
    [...paths].map(([path, methods]) => [
      path,
      { ...ofAll, ...Object.fromEntries(methods.map((route) => [route.method, operationOf(route)])) },
    ]),
  );
}

/**
 * What the operations port answers as an OpenAPI 3.1 document, made from the schemas that requests are read with. `x-role`
 * of an operation is the role that it takes; null: no token is needed. `x-programs` is how it keeps to the programs that a
 * token is limited to (`ProgramRule`).
 */
export function openApi(): Json {
  return {
    openapi: '3.1.0',
    info: { title: 'loyaltyd operations API', version: apiVersion },
    servers: [{ url: '/api/v1' }],
    security: [{ token: [] }],
    paths: { ...pathItems(API_ROUTES), ...pathItems(ROOT_ROUTES, { servers: [{ url: '/' }] }) },
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      responses: {
        Problem: {
          description: 'It was refused; nothing was changed.',
          content: { 'application/problem+json': { schema: jsonSchema(problemSchema, 'output') } },
        },
      },
    },
  };
}
