import { Controller, Get, RequestMethod, type Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import type { z } from 'zod';
import { DESCRIPTION, type EndpointDescription, OPERATION, type OperationOf } from '../http/partner-endpoint.js';
import { Spelling } from '../spelling/spelling.js';
import { errorSchema, type JsonSchema, SchemaWriter } from './json-schema.js';

/** A routed endpoint of the partner's API, as its controller's decorators describe it. */
interface Endpoint {
  readonly method: string;
  /** As Fastify routes it: `/brands/:brandId`. */
  readonly path: string;
  readonly operation: OperationOf;
  readonly description: EndpointDescription;
  /** The schemas that validate its requests. */
  readonly query: z.ZodType | null;
  readonly body: z.ZodType | null;
}

type Handler = (...parameters: never) => unknown;

/** Every endpoint of the partner's API; throws where one is not marked as such, or says nothing about itself. */
function listEndpoints(discovery: DiscoveryService): Endpoint[] {
  return discovery.getControllers().flatMap(({ metatype }) => {
    const controller = metatype as Type;
    const prototype = controller.prototype as Readonly<Record<string, Handler>>;
    const names = new MetadataScanner().getAllMethodNames(prototype);
    return names.flatMap((name) => readEndpoint(controller, name, prototype[name]) ?? []);
  });
}

function readEndpoint(controller: Type, name: string, handler: Handler | undefined): Endpoint | null {
  const method = metadata(METHOD_METADATA, handler) as RequestMethod | undefined;
  if (method === undefined) return null;
  const parts = [metadata(PATH_METADATA, controller), metadata(PATH_METADATA, handler)];
  const path = `/${parts.filter((part) => part !== '/').join('/')}`;
  const operation = metadata(OPERATION, handler) as OperationOf | undefined;
  const description = metadata(DESCRIPTION, handler) as EndpointDescription | undefined;
  if (operation === undefined && !path.startsWith('/brands/')) return null;
  if (operation === undefined || description === undefined) {
    throw new Error(`${controller.name}.${name} does not say which operation it is, or what it answers`);
  }
  const schemas = schemasOf(controller, name);
  return {
    method: RequestMethod[method].toLowerCase(),
    path,
    operation,
    description,
    query: schemas.get(RouteParamtypes.QUERY) ?? null,
    body: schemas.get(RouteParamtypes.BODY) ?? null,
  };
}

/** What Nest keeps of `@Query({ schema })` and `@Body({ schema })`, under keys like `3:1`: kind and index. */
function schemasOf(controller: Type, name: string): ReadonlyMap<number, z.ZodType> {
  const parameters = Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) as
    Readonly<Record<string, { readonly schema?: z.ZodType }>> | undefined;
  return new Map(
    Object.entries(parameters ?? {}).flatMap(([key, { schema }]) =>
      schema === undefined ? [] : [[Number.parseInt(key, 10), schema] as const],
    ),
  );
}

function metadata(key: string | symbol, target: object | undefined): unknown {
  return target === undefined ? undefined : Reflect.getMetadata(key, target);
}

/** The scheme's name and kind are given (partner-api.md section 5.7). */
const securityScheme = 'oauth-authorizer';

/** The OpenAPI 3.1 description of the endpoints, from the schemas that validate their requests. */
function buildDocument(endpoints: readonly Endpoint[], writer: SchemaWriter): JsonSchema {
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const endpoint of endpoints) {
    const path = documentedPath(endpoint.path);
    paths[path] = { ...paths[path], [endpoint.method]: describeOperation(endpoint, writer) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Wallet Card API (sandbox)', version: '1.0.0' },
    servers: [{ url: '/' }],
    security: [{ [securityScheme]: [] }],
    paths,
    components: {
      schemas: writer.components(),
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
function documentedPath(path: string): string {
  const segments = path.split('/');
  const named = segments.map((segment, index) => {
    if (!segment.startsWith(':')) return segment;
    const name = segment === ':targetId' ? targetNames[segments[index - 1] ?? ''] : undefined;
    return `{${name ?? segment.slice(1).replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}}`;
  });
  return named.join('/');
}

/** One operation of the description. */
function describeOperation(endpoint: Endpoint, writer: SchemaWriter): JsonSchema {
  const { description, query, body } = endpoint;
  const id = operationId(endpoint);
  const isToken = id === 'token';
  return {
    operationId: id,
    summary: description.summary,
    description: `partner-api.md section ${description.section}`,
    ...(isToken ? { security: [] } : {}),
    parameters: [...pathParameters(documentedPath(endpoint.path)), ...(query === null ? [] : writer.parameters(query))],
    ...(body === null ? {} : { requestBody: requestBody(writer.write(body, 'input'), isToken) }),
    responses: {
      [writer.successStatus(id)]: {
        description: 'Success',
        content: content(writer.write(description.answer, 'output')),
      },
      ...errorAnswers(isToken ? tokenErrors : partnerErrors, writer),
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

function errorAnswers(errors: Readonly<Record<number, string>>, writer: SchemaWriter): Record<string, JsonSchema> {
  const error = content(writer.write(errorSchema, 'output'));
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

/** The description of what is served; no token is needed. */
@Controller('openapi.json')
export class OpenapiController {
  private document: JsonSchema | null = null;

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly spelling: Spelling,
  ) {}

  @Get()
  get(): JsonSchema {
    this.document ??= buildDocument(listEndpoints(this.discovery), new SchemaWriter(this.spelling.choice));
    return this.document;
  }
}
