import type { Specification } from '../reading/specification.js';
import type { ResolvedStep } from './contract-client.js';
import type { Names } from './names.js';

/** A request as the specification and the dialect have it, before it gets a token. */
export interface WireRequest {
  readonly method: string;
  /** Below the base address. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Undefined where none is sent. */
  readonly body: unknown;
}

/** @throws NotRun where the dialect names nothing */
export function wireRequest(step: ResolvedStep, calls: Specification['calls'], names: Names): WireRequest {
  const { method, url } = calls[step.call];
  const path = url.replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(parameter(step, name)));
  const query = names.spell(step.query) as Record<string, unknown>;
  return {
    method,
    path,
    query: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)])),
    body: names.spell(step.body),
  };
}

function parameter({ call, path }: ResolvedStep, name: string): string {
  const value = path[name];
  if (value === undefined) throw new Error(`${call}: no value for {${name}} in the path`);
  return value;
}
