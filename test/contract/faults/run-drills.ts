import type { Scope } from '../interpreter/scope.js';
import type { CallName } from '../reading/specification.js';
import { type Drill, drilledCalls, type DrilledCall, effectsOf } from './drill.js';
import { drillGateway, type DrillGateway } from './drill-gateway.js';
import type { DrillRun } from './drill-run.js';
import type { DrillResult } from './drill-result.js';

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
