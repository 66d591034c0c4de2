import { z } from 'zod';

import type { Description, ProgramRule } from '../access/route-rules.js';
import type { DescribedRoute } from './described-routes.js';

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

function parametersIn(place: 'path' | 'query', schema: z.ZodType | undefined): Json[] {
  const shape = schema instanceof z.ZodObject ? (schema.shape as Readonly<Record<string, z.ZodType>>) : {};
  return Object.entries(shape).map(([name, part]) => ({
    name,
    in: place,
    required: place === 'path',
    schema: jsonSchema(part, 'input'),
  }));
}

function operationId({ method, path }: DescribedRoute): string {
  const words = path.split('/').flatMap((part) => part.replace(/[{}]/g, ''));
  return [method, ...words.filter((word) => word !== '')].join('-');
}

/** What is answered with 200. */
function contentOf({ answer, events, textType }: Description): Json {
  const types = [events === undefined ? (textType ?? []) : 'text/event-stream'].flat();
  if (types.length > 0) return Object.fromEntries(types.map((type) => [type, { schema: { type: 'string' } }]));
  return json(answer === undefined ? {} : jsonSchema(answer, 'output'));
}

function eventLines(events: Description['events']): string[] {
  return Object.entries(events ?? {}).map(([name, data]) => `Event \`${name}\`: ${data}.`);
}

const limits: Readonly<Record<ProgramRule, readonly string[]>> = {
  none: [],
  filtered: ['A token limited to programs is answered what is of them.'],
  named: ['To a token limited to programs nothing else is there.'],
  whole: ['Not for tokens limited to programs.'],
};

function descriptionOf(
  { role, programs, adminFor, isMetrics, producersToo }: DescribedRoute,
  events: Description['events'],
): string {
  return [
    ...(role === null ? [] : [`Needs the role ${role}.`]),
    ...(producersToo === undefined ? [] : ['Producers may send it as well.']),
    ...(adminFor === undefined ? [] : [adminFor]),
    ...limits[programs],
    ...(isMetrics === undefined ? [] : ['OPS_METRICS may ask for a token of any role, or close it.']),
    ...eventLines(events),
  ].join(' ');
}

function operationOf(route: DescribedRoute, described: Description): Json {
  const { role, programs, params, query, body } = route;
  const description = descriptionOf(route, described.events);
  const problem = { $ref: '#/components/responses/Problem' };
  return {
    operationId: operationId(route),
    summary: described.summary,
    'x-role': role,
    'x-programs': programs,
    ...(role === null ? { security: [] } : {}),
    ...(description === '' ? {} : { description }),
    parameters: [...parametersIn('path', params), ...parametersIn('query', query)],
    ...(body === undefined ? {} : { requestBody: bodyOf(body, route.bodyBytesMax) }),
    responses: {
      [described.status ?? 200]: { description: 'Done.', content: contentOf(described) },
      default: problem,
    },
  };
}

function bodyOf(body: z.ZodType, bytesMax: number): Json {
  return {
    required: !body.safeParse({}).success,
    description: `At most ${bytesMax / 1024} KiB.`,
    content: json(jsonSchema(body, 'input')),
  };
}

function pathItems(routes: readonly DescribedRoute[]): Json {
  const items: Record<string, Json> = {};
  for (const route of routes.toSorted((one, other) => (one.path < other.path ? -1 : 1))) {
    const { method, path, isOfApi, description } = route;
    if (description === undefined) continue;
    items[path] ??= isOfApi ? {} : { servers: [{ url: '/' }] };
    items[path] = { ...items[path], [method]: operationOf(route, description) };
  }
  return items;
}

/**
 * What the operations port answers as an OpenAPI 3.1 document, made of what stands at
 * the handlers and of the schemas that they read requests by. `x-role`
 * of an operation is the role that it takes; null: no token is needed. `x-programs` is how it keeps to the programs that a
 * token is limited to (`ProgramRule`).
 */
export function openApi(routes: readonly DescribedRoute[]): Json {
  return {
    openapi: '3.1.0',
    info: { title: 'loyaltyd operations API', version: apiVersion },
    servers: [{ url: '/api/v1' }],
    security: [{ token: [] }],
    paths: pathItems(routes),
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
