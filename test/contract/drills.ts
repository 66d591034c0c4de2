import { z } from 'zod';

import { createGateway, DialectRegistry } from '#gateway';
import { SystemClock } from '#platform';

import type { GatewayAccess } from './gateway/gateway-line.js';
import type { GatewayAnswer } from './gateway/port-call.js';
import { portCalls } from './gateway/port-calls.js';
import type { ContractClient } from './interpreter/contract-client.js';
import type { Scope } from './interpreter/names.js';
import type { Session } from './interpreter/session.js';
import { resolveStep } from './interpreter/session.js';
import type { CallName, Setup, Step } from './specification.js';
import { callNames, callNameSchema, fitting, specificationPath, stepSchema } from './specification.js';
import type { SandboxDials } from './wallet-sandbox.js';

const text = z.string().min(1);

/** A step whose answer is judged by the drill. */
const sampleSchema = z
  .strictObject({
    call: callNameSchema,
    path: z.record(text, z.unknown()).default({}),
    query: z.record(text, z.unknown()).default({}),
    body: z.unknown().optional(),
  })
  .transform((sample) => stepSchema.parse({ ...sample, expect: { status: '2xx' } }));

const refusalSchema = z
  .strictObject({
    call: callNameSchema,
    query: z.record(text, z.unknown()).default({}),
    body: z.unknown().optional(),
    verdict: text,
  })
  .transform(({ verdict, ...sample }) => ({ verdict, step: sampleSchema.parse(sample) }));

const outcomes = z.enum(['applied', 'rejected', 'not-applied', 'unknown', 'answered', 'absent', 'failed']);

const drillSchema = z.strictObject({
  kind: text,
  /** Settings of the fault's rule. */
  rule: z.record(text, z.unknown()).default({}),
  note: text.optional(),
  /** What a call that changes something must come out as. */
  outcome: outcomes.optional(),
  read: outcomes.optional(),
  token: outcomes.optional(),
  /** These calls alone, and what each must come out as. */
  only: z.partialRecord(callNameSchema, outcomes).optional(),
  /** The calls of `refusals`: `as said` there, or as `only` says. */
  refused: z.enum(['as said', 'applied']).optional(),
  timeoutMs: z.int().positive().default(10_000),
  effects: z.union([z.int(), z.record(text, z.int())]).optional(),
});

const faultsSchema = z.strictObject({
  samples: z.record(callNameSchema, sampleSchema),
  refusals: z.partialRecord(callNameSchema, refusalSchema),
  drills: z.array(drillSchema).min(1),
});

export type Drill = z.output<typeof drillSchema>;
type Faults = z.output<typeof faultsSchema>;

/** One call under one fault, and what it must come out as. */
interface DrilledCall {
  readonly call: CallName;
  readonly expected: string;
  readonly isRefusal: boolean;
}

/** @throws DataError */
export function loadFaults(): Faults {
  return fitting(specificationPath('faults.yaml'), faultsSchema);
}

const readingCalls: readonly CallName[] = ['lookup', 'list'];

/** Which calls a drill is for. */
export function drilledCalls(drill: Drill, { refusals }: Pick<Faults, 'refusals'>): DrilledCall[] {
  return callNames.flatMap((call) => {
    const expected = expectedOf(drill, call, refusals);
    return expected === undefined ? [] : [{ call, expected, isRefusal: drill.refused !== undefined }];
  });
}

function expectedOf(drill: Drill, call: CallName, refusals: Faults['refusals']): string | undefined {
  if (drill.only !== undefined) return drill.only[call];
  if (drill.refused !== undefined) return refusals[call]?.verdict;
  if (call === 'token') return drill.token;
  return readingCalls.includes(call) ? drill.read : drill.outcome;
}

/** How many ledger entries one call leaves; undefined where the drill does not say. */
function effectsOf({ effects }: Drill, call: CallName): number | undefined {
  if (call === 'token' || readingCalls.includes(call)) return undefined;
  return typeof effects === 'object' ? (effects[call] ?? effects['others']) : effects;
}

/** What the gateway made of one call under one fault. */
export interface DrillResult {
  /** `error-before (status 503)` */
  readonly drill: string;
  readonly kind: string;
  readonly call: CallName;
  readonly expected: string;
  readonly seen: string;
  /** Empty when it came out as it must, the fault did strike, and as many effects were left as the fault leaves. */
  readonly problems: readonly string[];
}

/** What all drills of a run share. */
interface DrillRun {
  readonly faults: Faults;
  readonly dials: SandboxDials;
  readonly session: Session;
  /** Plays the scenes, before any fault is on. */
  readonly client: ContractClient;
  readonly access: GatewayAccess;
  readonly dialect: Readonly<Record<string, unknown>> | null;
  readonly setup: Setup;
}

/** A gateway of one drill: what a fault has left of its connections and token ends with it. */
interface DrillGateway {
  takeToken(): Promise<void>;
  /** What the gateway makes of the call: `unknown http-500`, `answered`, `failed timeout`, ... */
  say(step: Step, scope: Scope, timeoutMs: number): Promise<string>;
  close(): Promise<void>;
}

function drillGateway({ access, dialect, setup, session }: DrillRun): DrillGateway {
  const { baseUrl, authUrl, clientId, clientSecret, scope: tokenScope } = access;
  const { partner, close } = createGateway({
    baseUrl,
    authUrl,
    scope: tokenScope,
    readCredentials: () => ({ clientId, clientSecret }),
    dialects: new DialectRegistry({ file: dialect, programs: [] }),
    clock: new SystemClock(),
  });
  const rules = session.rules(() => undefined);
  return {
    takeToken: async () => {
      const { kind } = await partner.checkToken({ timeoutMs: 10_000 });
      if (kind === 'failed') throw new Error('the sandbox gives no token');
    },
    say: async (step, scope, timeoutMs) => {
      const resolved = resolveStep(step, scope, rules);
      return told(await portCalls[step.call].make(resolved, { partner, setup, options: { timeoutMs } }));
    },
    close,
  };
}

const outcomeWords = ['applied', 'rejected', 'not-applied', 'unknown', 'absent'];

/** Calls that only read tell a code; whether it is a failure is said before it. */
function told({ isYes, verdict }: GatewayAnswer): string {
  if (outcomeWords.includes(verdict.split(' ', 1)[0] ?? '')) return verdict;
  return isYes ? `answered ${verdict}` : `failed ${verdict}`;
}

const scenes = ['bare-pass', 'workflow-pass', 'brand-attribute'];

/** Puts every fault on every call it is for, one fault after the other, all calls of a fault at once. */
export async function runDrills(run: DrillRun): Promise<DrillResult[]> {
  const scope = await run.session.scopeAfterScenes(scenes, run.client, 'drills');
  const results: DrillResult[] = [];
  try {
    for (const [index, drill] of run.faults.drills.entries()) {
      const name = nameOf(drill);
      const calls = drilledCalls(drill, run.faults);
      const [tokens, others] = [calls.filter(isToken), calls.filter((call) => !isToken(call))];
      // A token that is refused or late would be in the way of the other calls; they are drilled with one in hand.
      for (const drilled of [others, tokens].filter((some) => some.length > 0)) {
        results.push(...(await runDrill({ run, drill, name, drilled, scope: { ...scope, drill: index } })));
      }
    }
  } finally {
    await run.dials.clear();
  }
  return results;
}

interface OneDrill {
  readonly run: DrillRun;
  readonly drill: Drill;
  readonly name: string;
  readonly drilled: readonly DrilledCall[];
  readonly scope: Scope;
}

async function runDrill(one: OneDrill): Promise<DrillResult[]> {
  const { run, drill, name, drilled } = one;
  const gateway = drillGateway(run);
  try {
    if (drill.kind !== 'token-down' && !drilled.some(isToken)) await gateway.takeToken();
    const before = await run.dials.lastSeq();
    await run.dials.put(rulesOf(drill, drilled));
    const seen = await Promise.all(drilled.map((call) => say(one, call, gateway)));
    const idle = await run.dials.idle();
    await run.dials.clear();
    const effects = await effectProblems(one, before);
    return drilled.map(({ call, expected }, index) => ({
      drill: name,
      kind: drill.kind,
      call,
      expected,
      seen: seen[index] ?? '',
      problems: [
        ...(fits(expected, seen[index] ?? '') ? [] : [`came out as ${seen[index] ?? 'nothing'}, not ${expected}`]),
        ...(idle.includes(ruleOf(drill, call)) ? ['the fault did not strike'] : []),
        ...(effects.get(call) ?? []),
      ],
    }));
  } finally {
    await gateway.close();
  }
}

/** A class is the first word of what the gateway says; a refusal is said to the letter. */
function fits(expected: string, seen: string): boolean {
  return seen === expected || (!expected.includes(' ') && seen.startsWith(`${expected} `));
}

function isToken({ call }: DrilledCall): boolean {
  return call === 'token';
}

function rulesOf({ kind, rule }: Drill, drilled: readonly DrilledCall[]): { operation: string; kind: string }[] {
  if (kind === 'token-down') return [{ operation: 'token', kind, ...rule }];
  return drilled.map(({ call }) => ({ operation: call, kind, ...rule }));
}

function ruleOf({ kind }: Drill, call: CallName): string {
  return kind === 'token-down' ? 'token' : call;
}

async function say({ run, drill, scope }: OneDrill, drilled: DrilledCall, gateway: DrillGateway): Promise<string> {
  const { call, isRefusal } = drilled;
  const refusal = isRefusal ? run.faults.refusals[call]?.step : undefined;
  const self = `${String(scope['self'])}-${String(scope['drill'])}-${call}`;
  return gateway.say(refusal ?? run.faults.samples[call], { ...scope, self }, drill.timeoutMs);
}

async function effectProblems({ run, drill, drilled }: OneDrill, before: number): Promise<Map<CallName, string[]>> {
  const wanted = drilled.map(({ call }) => [call, effectsOf(drill, call)] as const);
  const total = wanted.reduce((sum, [, count]) => sum + (count ?? 0), 0);
  const seen = await run.dials.effectsSince(before, total);
  return new Map(
    wanted.map(([call, count]) => {
      const found = seen.get(call) ?? 0;
      return [call, count === undefined || count === found ? [] : [`left ${found} effects, not ${count}`]];
    }),
  );
}

function nameOf({ kind, rule }: Drill): string {
  const settings = Object.entries(rule).map(([name, value]) => `${name} ${String(value)}`);
  return settings.length === 0 ? kind : `${kind} (${settings.join(', ')})`;
}
