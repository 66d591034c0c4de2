import { RequestMethod, type Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { type DiscoveryService, MetadataScanner } from '@nestjs/core';
import type { z } from 'zod';
import { DESCRIPTION, type EndpointDescription, OPERATION, type OperationOf } from '../http/partner-endpoint.js';

/** A routed endpoint of the partner's API, as its controller's decorators describe it. */
export interface Endpoint {
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
export function listEndpoints(discovery: DiscoveryService): Endpoint[] {
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
