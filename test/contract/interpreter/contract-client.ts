import type { CallName, ObservationName, Specification, Step } from '../specification.js';
import type { Names } from './names.js';

/** A step with every `${...}` replaced; keys in angle brackets still stand for names of the dialect. */
export interface ResolvedStep {
  readonly call: CallName;
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  /** Undefined where none is sent. */
  readonly body: unknown;
  readonly form: Step['form'];
  readonly token: Step['token'];
  readonly gateway: Step['gateway'];
}

/** What came back, as this client tells it. */
export interface Seen {
  /** Null when there was no complete answer. */
  readonly status: number | null;
  readonly body: unknown;
  /** What the client itself found wrong, whatever the row expects. */
  readonly problems: readonly string[];
}

/** One of the two ways to the partner: plain HTTP, or our gateway's port. */
export interface ContractClient {
  readonly name: 'plain' | 'gateway';
  perform(step: ResolvedStep): Promise<Seen>;
  /** Puts what this client's answers have in place of `<path>`. */
  spell(expected: unknown): unknown;
  /** What is seen on the wire while the client does something that its port does not show. */
  observe(name: ObservationName): Promise<unknown>;
  close(): Promise<void>;
}

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
/** Their bodies may repeat the ids of brand and program (4.2). */
const issuing: ReadonlySet<string> = new Set(['issue', 'issue-via-workflow', 'update-via-workflow']);

export function wireRequest(step: ResolvedStep, calls: Specification['calls'], names: Names): WireRequest {
  const { method, url } = calls[step.call];
  const path = url.replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(parameter(step, name)));
  const query = names.spell(step.query) as Record<string, unknown>;
  return {
    method,
    path,
    query: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)])),
    body: issuing.has(step.call) ? names.withIds(names.spell(step.body), step.path) : names.spell(step.body),
  };
}

function parameter({ call, path }: ResolvedStep, name: string): string {
  const value = path[name];
  if (value === undefined) throw new Error(`${call}: no value for {${name}} in the path`);
  return value;
}
