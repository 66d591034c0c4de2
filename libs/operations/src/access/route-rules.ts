import { NotFoundException } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';
import { z } from 'zod';

import type { OperationsEnvironment, OperatorToken } from '#contracts';

type Role = OperatorToken['role'];

/** What a body says fits into far less, unless it carries a whole record. */
export const apiBodyBytesMax = 64 * 1024;
/** A record of 1 MiB comes as text within JSON, every quote of it escaped. */
export const recordBodyBytesMax = 4 * 1024 * 1024;

/**
 * How a request keeps to the programs that a token is limited to. `none`: what it says is of no program. `filtered`: it
 * answers what is of them. `named`: what it names is of one of them, or is answered like what is not there; a program that
 * is left out is their only one. `whole`: it is about all programs, or about what is of no known one, and refused.
 */
export type ProgramRule = 'none' | 'filtered' | 'named' | 'whole';

/** How a request is described in the OpenAPI document. */
export interface Description {
  readonly summary: string;
  /** What is answered with 200; absent: any JSON. */
  readonly answer?: z.ZodType;
  /** It answers a stream of Server-Sent Events instead: what each is. */
  readonly events?: Readonly<Record<string, string>>;
  /** It answers text of one of these types instead. */
  readonly textType?: string | readonly string[];
  /** Absent: 200. */
  readonly status?: 202;
}

/** What stands at a handler: who may send its request, what the head of that is held against, and what it does. */
export interface RouteRules {
  /** The least role; `producer`: that, and no operator's; null: no token is needed. */
  readonly role: Role | 'producer' | null;
  /** A producer may send it as well. */
  readonly producersToo?: true;
  /** It writes events: its body is handed over as it came, and counted apart from those of operators. */
  readonly isDoor?: true;
  readonly programs: ProgramRule;
  /** It may work for seconds, or hold much in memory: few do at a time. */
  readonly isLong?: true;
  /** Its answer is written for as long as its reader takes it: it keeps no others waiting. */
  readonly isStream?: true;
  /** What of it takes an admin: a sentence. */
  readonly adminFor?: string;
  /** What stands in its path, decoded; there where the path has any. */
  readonly params?: z.ZodObject;
  readonly bodyBytesMax: number;
  /** `OPS_METRICS` may have it take a viewer, or not be there. */
  readonly isMetrics?: true;
  /** Absent: it is not described. */
  readonly description?: Description;
}

/** What Fastify keeps with a route: it knows this from when it has read the head of a request. */
interface RouteSaid {
  readonly rules?: Partial<RouteRules>;
}

export const routeMetadata = FASTIFY_ROUTE_CONFIG_METADATA;

function says(rules: Partial<RouteRules>): MethodDecorator {
  return (target, name, descriptor) => {
    const said = Reflect.getMetadata(routeMetadata, descriptor.value as object) as RouteSaid | undefined;
    RouteConfig({ rules: { ...said?.rules, ...rules } })(target, name, descriptor);
  };
}

/** Operators with this role, or a higher one, may send it. Without `InPrograms` none who is limited to programs. */
export const Roles = (role: Role, more: Pick<RouteRules, 'adminFor'> = {}): MethodDecorator => says({ role, ...more });

/** Producers may send it, besides operators with that role. */
export const ProducersToo = (): MethodDecorator => says({ producersToo: true });

/** Producers write events by it, and nobody else. */
export const Producers = (): MethodDecorator => says({ role: 'producer', programs: 'none', isDoor: true });

/** It writes events and is signed: its handler judges the signature. */
export const Signed = (): MethodDecorator => says({ role: null, isDoor: true });

/** Anybody may send it, without a token. */
export const Public = (more: Pick<RouteRules, 'isMetrics'> = {}): MethodDecorator => says({ role: null, ...more });

/** Also tokens that are limited to programs: what they are answered is of those. */
export const InPrograms = (programs: 'filtered' | 'named'): MethodDecorator => says({ programs });

/** What its path may name. Anything else is refused before a body is read. */
export const PathParams = (shape: z.ZodRawShape): MethodDecorator => says({ params: z.object(shape) });

/** So large may its body be; without it `apiBodyBytesMax`. */
export const BodyBytesMax = (bodyBytesMax: number): MethodDecorator => says({ bodyBytesMax });

/** It works on many records, or on one that may hold many: such actions wait for one another, and nothing else for them. */
export const LongAction = (): MethodDecorator => says({ isLong: true });

/** Its handler takes the answer over and bounds it by itself. */
export const Streamed = (): MethodDecorator => says({ isStream: true });

/** How the OpenAPI document describes it. What it reads is described by the pipes of its parameters. */
export const ApiOperation = (description: Description): MethodDecorator => says({ description });

/** @param said what Fastify keeps with a route, or Nest with a handler @returns null: nothing says who may send it */
export function rulesIn(said: object = {}): RouteRules | null {
  const { rules }: RouteSaid = said;
  if (rules?.role === undefined) return null;
  const programs = rules.role === null ? 'none' : 'whole';
  return { programs, bodyBytesMax: apiBodyBytesMax, ...rules, role: rules.role };
}

/** Whether the body of a request is handed to its handler as it came. @param said what Fastify keeps with its route */
export const wantsRawBody = (said: object | undefined): boolean => rulesIn(said)?.isDoor === true;

const askingMethods: readonly string[] = ['GET', 'HEAD'];

/** Whether somebody with a token wants to read: what changes something, probes and metrics are none. */
export function isQuestion(method: string, { role, isMetrics }: Pick<RouteRules, 'role' | 'isMetrics'>): boolean {
  return role !== null && isMetrics === undefined && askingMethods.includes(method);
}

/**
 * What a request has to keep to.
 * @throws {NotFoundException} where nothing says who may send it, or it is closed
 */
export function rulesFor(said: object | undefined, { metrics }: Pick<OperationsEnvironment, 'metrics'>): RouteRules {
  const rules = rulesIn(said);
  if (rules === null) throw new NotFoundException();
  if (rules.isMetrics === undefined || metrics === 'open') return rules;
  if (metrics === 'off') throw new NotFoundException();
  return { ...rules, role: 'viewer' };
}
