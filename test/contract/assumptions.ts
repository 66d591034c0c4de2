import { z } from 'zod';

import type { ContractClient, Seen } from './interpreter/contract-client.js';
import type { Names } from './interpreter/names.js';
import { firstAt, NotRun } from './interpreter/names.js';
import type { Session } from './interpreter/session.js';
import { resolveStep } from './interpreter/session.js';
import { callNameSchema, fitting, specificationPath, stepSchema } from './specification.js';

const text = z.string().min(1);

const controlSchema = z.strictObject({
  call: callNameSchema,
  query: z.record(text, z.unknown()).default({}),
  body: z.unknown().optional(),
});

/** What a refusal must be like, beside being one. Exactly one of them. */
const refusalSchema = z.strictObject({
  statusIn: text.optional(),
  says: text.optional(),
  mentionsOneOf: text.optional(),
  or: z.array(text).default([]),
});

const assumptionSchema = z.strictObject({
  entry: text,
  what: text,
  assumed: z.unknown(),
  after: z.array(text).default([]),
  steps: z.array(stepSchema).default([]),
  control: text.optional(),
  concerns: z.array(text).default([]),
  refused: z.literal('wrong').optional(),
  /** A refusal that speaks of this property (an entry that names it, or its name) says that the assumption is wrong. */
  blames: text.optional(),
  refusal: refusalSchema.optional(),
  recognised: z.strictObject({ by: text, value: z.unknown().default('x') }).optional(),
  /** Why there is no probe. */
  unprobed: text.optional(),
});

const assumptionsSchema = z
  .strictObject({ controls: z.record(text, controlSchema), assumptions: z.array(assumptionSchema).min(1) })
  .check(({ value, issues }) => {
    value.assumptions.forEach((assumption, index) => {
      const problem = problemOf(assumption, Object.keys(value.controls));
      if (problem !== null) {
        issues.push({ code: 'custom', input: value, path: ['assumptions', index], message: problem });
      }
    });
  });

/** A name that no partner knows. */
const nobodysName = 'zzContract';

export type Assumption = z.output<typeof assumptionSchema>;
type Control = z.output<typeof controlSchema>;
export type Assumptions = z.output<typeof assumptionsSchema>;

/** Every entry of the dialect: what we assume and how it is probed. @throws DataError */
export function loadAssumptions(): Assumptions {
  return fitting(specificationPath('assumptions.yaml'), assumptionsSchema);
}

/** Entry -> assumed value. */
export function assumedValues({ assumptions }: Assumptions): ReadonlyMap<string, unknown> {
  return new Map(assumptions.map(({ entry, assumed }) => [entry, assumed]));
}

function problemOf({ entry, steps, recognised, unprobed, control }: Assumption, controls: string[]): string | null {
  const ways = [steps.length > 0, recognised !== undefined, unprobed !== undefined].filter(Boolean);
  if (ways.length !== 1) return `${entry} needs steps, or recognised, or unprobed`;
  const needed = recognised?.by ?? control;
  return needed === undefined || controls.includes(needed) ? null : `${entry}: there is no control ${needed}`;
}

/** What a probe found out about one entry. */
export interface Finding {
  readonly entry: string;
  readonly what: string;
  /** What the dialect in force says. */
  readonly assumed: unknown;
  readonly seen: string;
  readonly verdict: 'right' | 'wrong' | 'cannot tell';
  /** What to do about it; null where nothing is to be done. */
  readonly set: string | null;
}

/** How a partner speaks of a name that it does not know. */
export class UnknownNames {
  private constructor(
    private readonly wording: string | null,
    /** A request with an unknown name is refused, in whatever words. */
    readonly areRefused: boolean,
    private readonly paths: readonly string[],
  ) {}

  /** @param seen the answer to a request with nobody's name in it */
  static from(seen: Seen, paths: readonly string[]): UnknownNames {
    const message = refusalOf(seen, paths);
    return new UnknownNames(wordingIn(message ?? ''), message !== null, paths);
  }

  /** Whether it can be told at all. */
  get isSpoken(): boolean {
    return this.wording !== null;
  }

  /** Whether the answer refuses this name as unknown. */
  refuses(name: unknown, seen: Seen): boolean {
    if (this.wording === null) return false;
    const wording = this.wording.replace(nobodysName, String(name)).replace(/[^\w\s]/g, '\\$&');
    return new RegExp(`(?<!\\w)${wording}(?!\\w)`).test(refusalOf(seen, this.paths) ?? '');
  }
}

/** The message of a refusal; null where there is none. */
export function refusalOf({ status, body }: Seen, paths: readonly string[]): string | null {
  const message = firstAt(body, paths);
  return status !== null && status >= 400 && status < 500 && typeof message === 'string' ? message : null;
}

/**
 * Up to two words on either side of nobody's name, within one clause: `Unrecognized key: "zzContract"`, `property
 * zzContract should not`. The rest of a message is about other things, and differs from request to request.
 */
function wordingIn(message: string): string | null {
  const around = new RegExp(`(?:[^\\s;,.]+\\s+){0,2}[^\\s;,.]*${nobodysName}[^\\s;,.]*(?:\\s+[^\\s;,.]+){0,2}`);
  return around.exec(message)?.[0] ?? null;
}

interface ControlCall {
  readonly session: Session;
  readonly client: ContractClient;
  readonly name: string;
  readonly value: unknown;
}

/** @throws NotRun when the account may not make the call */
async function runControl(control: Control, { session, client, name, value }: ControlCall): Promise<Seen> {
  const rules = session.rules(() => undefined);
  if (rules.mayNot.includes(control.call)) throw new NotRun(`the setup says that the account may not ${control.call}`);
  const { query, body } = renamed({ query: control.query, body: control.body }, name, value) as Control;
  const step = { ...bareStep, call: control.call, query, body };
  return client.perform(resolveStep(step, session.scopeOf(`control ${control.call} ${name}`), rules));
}

const bareStep = { path: {}, expect: { status: '4xx' as const, body: {} }, save: {} };

function renamed(at: unknown, name: string, value: unknown): unknown {
  if (typeof at !== 'object' || at === null || Array.isArray(at)) return at;
  return Object.fromEntries(
    Object.entries(at).map(([key, item]) => (key === nobodysName ? [name, value] : [key, renamed(item, name, value)])),
  );
}

/** Each control is asked for once. */
export class Controls {
  private readonly asked = new Map<string, Promise<UnknownNames>>();

  constructor(
    private readonly parts: {
      readonly assumptions: Assumptions;
      readonly session: Session;
      readonly client: ContractClient;
      readonly names: Names;
    },
  ) {}

  unknownNames(control: string): Promise<UnknownNames> {
    const known =
      this.asked.get(control) ??
      this.ask(control, nobodysName, 'x').then((seen) => UnknownNames.from(seen, this.parts.names.messagePaths));
    this.asked.set(control, known);
    return known;
  }

  /** The control's request with another name in the place of nobody's. @throws NotRun */
  ask(control: string, name: string, value: unknown): Promise<Seen> {
    const found = this.parts.assumptions.controls[control];
    if (found === undefined) throw new Error(`there is no control ${control}`);
    return runControl(found, { ...this.parts, name, value });
  }
}
