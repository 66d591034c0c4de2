import { RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { MetadataScanner } from '@nestjs/core';
import type { z } from 'zod';

import { apiPath } from '../access/access.guard.js';
import type { RouteRules } from '../access/route-rules.js';
import { routeMetadata, rulesIn } from '../access/route-rules.js';
import { ZodPipe } from '../requests/read-request.js';

/** A controller class. */
export type ControllerClass = abstract new (...parts: never[]) => object;

interface ReadParts {
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
}

/** A request that is served, by what stands at its handler. */
export interface DescribedRoute extends RouteRules, ReadParts {
  /** As OpenAPI names it. */
  readonly method: 'get' | 'post' | 'delete';
  /** `/intents/{id}`: below `/api/v1`, or as it is. */
  readonly path: string;
  readonly isOfApi: boolean;
}

interface Parameter {
  readonly pipes: readonly unknown[];
}

/** By the kind of the parameter; `BodyOrQuery` is the only one of ours that is read by a schema. */
const partsByKind: Readonly<Record<string, readonly (keyof ReadParts)[]>> = {
  [RouteParamtypes.BODY]: ['body'],
  [RouteParamtypes.QUERY]: ['query'],
};

/** What a handler reads of a request: the schemas that its parameters are read by. */
function readParts(controller: ControllerClass, name: string): ReadParts {
  const parameters = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) ?? {}) as Record<string, Parameter>;
  return Object.fromEntries(
    Object.entries(parameters).flatMap(([key, { pipes }]) => {
      const pipe = pipes.find((each) => each instanceof ZodPipe);
      const [kind = ''] = key.split(':');
      return pipe === undefined ? [] : (partsByKind[kind] ?? ['query', 'body']).map((part) => [part, pipe.schema]);
    }),
  );
}

/** `/api/v1/intents/:id` of `api/v1/intents` and `:id`. */
function urlOf(...parts: readonly string[]): string {
  return `/${parts.flatMap((part) => part.split('/').filter((each) => each !== '')).join('/')}`;
}

const scanner = new MetadataScanner();

/** @throws where a handler does not say who may send its request */
function routesOfHandler(controller: ControllerClass, name: string): DescribedRoute[] {
  const handler = (controller.prototype as Readonly<Record<string, object>>)[name] ?? {};
  const method = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined;
  if (method === undefined) return [];
  const rules = rulesIn(Reflect.getMetadata(routeMetadata, handler) as object | undefined);
  if (rules === null) throw new Error(`${controller.name}.${name} does not say who may send its request`);
  const below = Reflect.getMetadata(PATH_METADATA, controller) as string;
  return [Reflect.getMetadata(PATH_METADATA, handler) as string | string[]].flat().map((path) => {
    const url = urlOf(below, path).replaceAll(/:(\w+)/g, '{$1}');
    const isOfApi = url.startsWith(`/${apiPath}/`);
    return {
      ...{ ...rules, ...readParts(controller, name), isOfApi },
      method: RequestMethod[method].toLowerCase() as DescribedRoute['method'],
      path: isOfApi ? url.slice(apiPath.length + 1) : url,
    };
  });
}

/** What controllers serve, by their metadata: neither process nor settings are needed. */
export function routesOf(controllers: readonly ControllerClass[]): DescribedRoute[] {
  return controllers.flatMap((controller) =>
    scanner.getAllMethodNames(controller.prototype as object).flatMap((name) => routesOfHandler(controller, name)),
  );
}
