import type { Assumption, Assumptions, Finding, UnknownNames } from './assumptions.js';
import { Controls, refusalOf } from './assumptions.js';
import type { ContractClient, Seen } from './interpreter/contract-client.js';
import { problemsOf } from './interpreter/judge-answer.js';
import type { Names, Scope } from './interpreter/names.js';
import { NotRun, resolve } from './interpreter/names.js';
import type { Session } from './interpreter/session.js';
import { resolveStep } from './interpreter/session.js';
import type { Expectation } from './specification.js';

type Refusal = NonNullable<Assumption['refusal']>;

/** In which way a refusal is not what the dialect expects of it; null when it is. */
function refusalProblem(
  { statusIn, says, mentionsOneOf, or }: Refusal,
  seen: Seen,
  { names, scope }: { readonly names: Names; readonly scope: Scope },
): string | null {
  const message = refusalOf(seen, names.messagePaths) ?? '';
  if (statusIn !== undefined && !(names.at(statusIn) as unknown[]).includes(seen.status)) return 'another status';
  if (says !== undefined && !new RegExp(String(names.at(says)), 'iu').test(message)) return 'no such words';
  if (mentionsOneOf === undefined) return null;
  const words = [...(names.at(mentionsOneOf) as string[]), ...(resolve(or, scope) as string[])];
  return words.some((word) => message.toLowerCase().includes(word.toLowerCase())) ? null : 'none of the names';
}

interface ProbeParts {
  readonly controls: Controls;
  readonly session: Session;
  readonly client: ContractClient;
  readonly names: Names;
}

type Judgement = Pick<Finding, 'verdict' | 'seen'>;

/** Finds out whether one assumption is right at this partner. Never throws: what cannot be found out is said. */
async function probeAssumption(assumption: Assumption, parts: ProbeParts): Promise<Finding> {
  const assumed = parts.names.entry(assumption.entry);
  const { verdict, seen } = await judged(assumption, parts);
  const { entry, what } = assumption;
  return { entry, what, assumed, seen, verdict, set: verdict === 'right' ? null : advice(assumption, verdict) };
}

async function judged(assumption: Assumption, parts: ProbeParts): Promise<Judgement> {
  if (assumption.unprobed !== undefined) return { verdict: 'cannot tell', seen: assumption.unprobed };
  try {
    if (assumption.recognised !== undefined) return await recognised(assumption, assumption.recognised, parts);
    return await effect(assumption, parts);
  } catch (error) {
    if (error instanceof NotRun) return { verdict: 'cannot tell', seen: error.message };
    return { verdict: 'cannot tell', seen: `${(error as Error).name}: ${(error as Error).message}` };
  }
}

/** Where nobody's name is refused, a known one is taken, or refused in other words. */
async function recognised(
  { entry }: Assumption,
  { by, value }: NonNullable<Assumption['recognised']>,
  { controls, session, names }: ProbeParts,
): Promise<Judgement> {
  const name = String(names.at(entry));
  const unknown = await controls.unknownNames(by);
  if (!unknown.areRefused) return { verdict: 'cannot tell', seen: 'the partner takes names that it does not know' };
  const seen = await controls.ask(by, name, resolve(value, session.scopeOf(entry)));
  const isTaken = seen.status !== null && seen.status < 300;
  if (isTaken) return { verdict: 'right', seen: told(seen, names) };
  return { verdict: recognition(unknown, unknown.refuses(name, seen)), seen: told(seen, names) };
}

/** Every step is judged; the first one that is not as expected decides. */
async function effect(assumption: Assumption, parts: ProbeParts): Promise<Judgement> {
  const { session, client, names } = parts;
  const unknown = assumption.control === undefined ? null : await parts.controls.unknownNames(assumption.control);
  const scope = await session.scopeAfterScenes(assumption.after, client, assumption.entry);
  let seen: Seen = { status: null, body: undefined, problems: ['nothing was asked'] };
  for (const step of assumption.steps) {
    const rules = session.rules(() => undefined);
    if (rules.mayNot.includes(step.call)) throw new NotRun(`the setup says that the account may not ${step.call}`);
    seen = await client.perform(resolveStep(step, scope, rules));
    const expected = { ...step.expect, body: client.spell(resolve(step.expect.body, scope)) } as Expectation;
    const problems = problemsOf(expected, seen, rules.success);
    if (problems.length > 0) {
      return { verdict: misfit(assumption, seen, { unknown, names }), seen: told(seen, names, problems) };
    }
  }
  return afterAll(assumption, seen, { names, scope });
}

/** These say nothing about what was asked for. */
const silentStatuses: readonly (number | null)[] = [null, 401, 403, 408, 429];

interface Known {
  readonly unknown: UnknownNames | null;
  readonly names: Names;
}

function misfit(assumption: Assumption, seen: Seen, known: Known): Finding['verdict'] {
  const status = silentStatuses.includes(seen.status) ? 500 : (seen.status ?? 500);
  if (status >= 500) return 'cannot tell';
  // It was taken, and what it says was not done.
  if (status < 300) return 'wrong';
  return blamed(assumption, seen, known) ?? unblamed(assumption, seen, known);
}

/** Where a refusal blames the form of a time: that one is wrong, and says nothing of anything else. */
function blamed({ blames }: Assumption, seen: Seen, { names }: Known): Finding['verdict'] | null {
  if (blames === undefined) return isAboutDate(seen, names) ? 'cannot tell' : null;
  const name = blames.includes('.') ? String(names.at(blames)) : blames;
  return refusalOf(seen, names.messagePaths)?.includes(name) === true ? null : 'cannot tell';
}

function unblamed(
  { entry, concerns, refused, blames, control }: Assumption,
  seen: Seen,
  { unknown, names }: Known,
): Finding['verdict'] {
  const isUnknown = (name: string): boolean => unknown?.refuses(names.at(name), seen) === true;
  if (concerns.some(isUnknown)) return 'cannot tell';
  if (blames !== undefined) return 'wrong';
  return refused ?? (control === undefined ? 'cannot tell' : recognition(unknown, isUnknown(entry)));
}

/** Refused, but not as an unknown name: where such ones are named, this one is known. */
function recognition(unknown: UnknownNames | null, isUnknown: boolean): Finding['verdict'] {
  if (unknown?.isSpoken !== true) return 'cannot tell';
  return isUnknown ? 'wrong' : 'right';
}

/** A date in a form that the partner does not take stands in the way of whatever else a transaction asks. */
function isAboutDate(seen: Seen, { messagePaths }: Names): boolean {
  return (refusalOf(seen, messagePaths) ?? '').includes('transactionDate');
}

function afterAll(
  { refusal }: Assumption,
  seen: Seen,
  { names, scope }: { readonly names: Names; readonly scope: Scope },
): Judgement {
  if (refusal !== undefined && isAboutDate(seen, names)) return { verdict: 'cannot tell', seen: told(seen, names) };
  if (refusal?.says !== undefined && refusalOf(seen, names.messagePaths) === null) {
    return { verdict: 'cannot tell', seen: told(seen, names, ['no words were found']) };
  }
  const problem = refusal === undefined ? null : refusalProblem(refusal, seen, { names, scope });
  return { verdict: problem === null ? 'right' : 'wrong', seen: told(seen, names, problem === null ? [] : [problem]) };
}

/** The status, the partner's own words, and what was not as expected. */
function told(seen: Seen, { messagePaths }: Names, problems: readonly string[] = []): string {
  const message = refusalOf(seen, messagePaths);
  const words = [String(seen.status ?? 'no answer'), ...(message === null ? [] : [message]), ...problems];
  return [...new Set(words)].join('; ');
}

function advice({ entry, what, unprobed }: Assumption, verdict: Finding['verdict']): string {
  if (unprobed !== undefined) return `nothing, unless you know better: ${entry}`;
  return verdict === 'wrong' ? `${entry}: ${what}` : `${entry}, if the partner tells you: ${what}`;
}

interface ProbeRun {
  readonly assumptions: Assumptions;
  readonly session: Session;
  readonly clients: readonly ContractClient[];
  readonly names: Names;
}

/** One finding per entry of the dialect, in the order of the data file. */
export async function probeAll({ assumptions, session, clients, names }: ProbeRun): Promise<Finding[]> {
  const [first] = clients;
  if (first === undefined) throw new Error('somebody has to ask');
  const controls = new Controls({ assumptions, session, client: first, names });
  const findings: Finding[] = [];
  const waiting = assumptions.assumptions.map((assumption, index) => ({ assumption, index }));
  const work = async (client: ContractClient): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      findings[next.index] = await probeAssumption(next.assumption, { controls, session, client, names });
    }
  };
  await Promise.all(clients.map(work));
  return findings;
}
