import type { ContractClient, ResolvedStep, Seen } from './interpreter/contract-client.js';
import type { Scope } from './interpreter/names.js';
import { NotRun, valueAt } from './interpreter/names.js';
import type { Session } from './interpreter/session.js';
import { resolveStep } from './interpreter/session.js';
import type { Setup, Step } from './specification.js';
import { stepSchema } from './specification.js';

/** Whether the claim `uniqueEnforced` of the programs file holds for one transaction type. */
export interface UniqueProof {
  readonly transactionTypeId: string;
  /** Null: the type is said to have no unique attribute. */
  readonly attribute: string | null;
  /** Statuses of the first and the second transaction with the same value. */
  readonly statuses: readonly (number | null)[];
  /** `not recognised`: the second one is refused, but the dialect does not read the refusal as a duplicate. */
  readonly verdict: 'enforced' | 'not enforced' | 'not recognised' | 'cannot tell';
  /** What `uniqueEnforced` may say, and why. */
  readonly says: string;
  /** What is refused for another reason, and how that is read: none of it is a duplicate. */
  readonly refusals: readonly RefusalReading[];
  /** It is as the setup says, and nothing else is read as a duplicate. */
  readonly ok: boolean;
}

interface RefusalReading {
  /** What is wrong with the transaction. */
  readonly what: string;
  /** The status and the partner's own words. */
  readonly seen: string;
  /** As delivery would read it: `rejected refused`. */
  readonly readAs: string;
  readonly ok: boolean;
}

/** How delivery would read an answer to a transaction. */
export type ReadRefusal = (step: ResolvedStep, seen: Seen, attribute: string) => string;

interface ProofParts {
  readonly session: Session;
  readonly client: ContractClient;
  readonly readRefusal: ReadRefusal;
  readonly setup: Setup;
}

type UniqueType = Setup['transactionTypes']['unique'][number];

/**
 * Posts one value twice on each transaction type that the setup names, and then what must be refused for another reason.
 * Writes two transactions where nobody minds, and more only where the partner takes what it should refuse.
 */
export async function proveUnique(parts: ProofParts): Promise<UniqueProof[]> {
  const proofs: UniqueProof[] = [];
  for (const type of parts.setup.transactionTypes.unique) proofs.push(await proveType(type, parts));
  return proofs;
}

async function proveType(type: UniqueType, parts: ProofParts): Promise<UniqueProof> {
  try {
    const { session, client } = parts;
    const rules = session.rules(() => undefined);
    if (rules.mayNot.includes('transaction')) throw new NotRun('the setup says that the account may not transaction');
    const scope = await session.scopeAfterScenes(['bare-pass'], client, `unique ${type.id}`);
    const step = resolveStep(postOf(type), scope, rules);
    const first = await client.perform(step);
    const second = first.status === 200 ? await client.perform(step) : first;
    const { attribute } = type;
    const readAs = attribute === null ? '' : parts.readRefusal(step, second, attribute);
    const refusals = attribute === null ? [] : await otherRefusals({ ...type, attribute }, { parts, scope, rules });
    const { attributes } = step.body as { readonly attributes: Readonly<Record<string, string>> };
    const sent = attributes[attribute ?? ''] ?? '';
    const proof = judged(type, [first, second], { readAs, sent });
    return { ...proof, refusals, ok: proof.ok && refusals.every(({ ok }) => ok) };
  } catch (error) {
    return undecided(type, [], error instanceof Error ? error.message : String(error));
  }
}

function postOf({ id, attribute }: UniqueType, value = '${self}'): Step {
  return stepSchema.parse({
    call: 'transaction',
    path: { transaction_type_id: id },
    query: { unique_id: '${bare-pass.member}' },
    body: {
      amount: 1,
      transactionDate: '2026-11-21T09:15:04.000Z',
      attributes: attribute === null ? {} : { [attribute]: value },
    },
    expect: { status: 200 },
  });
}

interface Mistake {
  readonly what: string;
  readonly query?: object;
  readonly body?: object;
}

/** What each of them has that the other transaction had not; all of them have values of their own. */
const mistakesWith = (attribute: string): readonly Mistake[] => [
  { what: 'a member whom nobody knows', query: { unique_id: '${self}-nobody' } },
  { what: 'a date that is none', body: { transactionDate: 'yesterday' } },
  { what: 'an amount that is none', body: { amount: 'much' } },
  { what: 'a value that is no text', body: { attributes: { [attribute]: { not: 'text' } } } },
];

interface Ground {
  readonly parts: ProofParts;
  readonly scope: Scope;
  readonly rules: ReturnType<Session['rules']>;
}

async function otherRefusals(
  type: UniqueType & { readonly attribute: string },
  { parts, scope, rules }: Ground,
): Promise<RefusalReading[]> {
  const readings: RefusalReading[] = [];
  for (const [index, { what, query, body }] of mistakesWith(type.attribute).entries()) {
    const plain = postOf(type, `\${self}-${index}`);
    const sent = { ...plain, query: { ...plain.query, ...query }, body: { ...(plain.body as object), ...body } };
    const step = resolveStep(sent, scope, rules);
    const seen = await parts.client.perform(step);
    const readAs = parts.readRefusal(step, seen, type.attribute);
    readings.push({ what, seen: messageOf(seen), readAs, ok: readAs !== 'rejected duplicate' });
  }
  return readings;
}

/** What the two answers to one value say. @param sent the value */
function judged(
  type: UniqueType,
  [first, second]: readonly [Seen, Seen],
  { readAs, sent }: { readonly readAs: string; readonly sent: string },
): UniqueProof {
  const statuses = [first.status, second.status];
  const base = { transactionTypeId: type.id, attribute: type.attribute, statuses, refusals: [] };
  if (first.status !== 200) return undecided(type, statuses, `the first one was not taken: ${messageOf(first)}`);
  if (second.status === 200) {
    const says = 'uniqueEnforced must be false: the same transaction is taken twice';
    return { ...base, verdict: 'not enforced', says, ok: type.attribute === null };
  }
  if (!isRefusal(second)) return undecided(type, statuses, `the second one brought ${messageOf(second)}`);
  if (type.attribute === null) {
    return undecided(type, statuses, `refused without a unique attribute: ${messageOf(second)}`);
  }
  if (readAs !== 'rejected duplicate') {
    const says =
      `refused, but read as "${readAs}": if this always means that the transaction is there, it fits a template of ` +
      `duplicate.templates: ${JSON.stringify(templateOf(second, sent))}`;
    return { ...base, verdict: 'not recognised', says, ok: false };
  }
  return { ...base, verdict: 'enforced', says: 'uniqueEnforced may be true', ok: true };
}

/** The partner's sentence with a place for what was sent. */
function templateOf({ body }: Seen, sent: string): string {
  const message = valueAt(body, 'message');
  const text = typeof message === 'string' ? message : JSON.stringify(body ?? null);
  return sent === '' ? text : text.replaceAll(sent, '<value>');
}

/** These speak about the caller, the path or the pace. */
const notAboutTheValue: readonly number[] = [401, 403, 404, 405, 408, 415, 429];

function isRefusal({ status }: Seen): boolean {
  return status !== null && status >= 400 && status < 500 && !notAboutTheValue.includes(status);
}

const shownCharsMax = 200;

function messageOf({ status, body, problems }: Seen): string {
  const message = valueAt(body, 'message') ?? (body === undefined ? null : JSON.stringify(body));
  if (typeof message !== 'string') return [status ?? 'no answer', ...problems].join(' ');
  return `${status ?? ''} ${message.slice(0, shownCharsMax)}`;
}

function undecided({ id, attribute }: UniqueType, statuses: UniqueProof['statuses'], says: string): UniqueProof {
  return { transactionTypeId: id, attribute, statuses, verdict: 'cannot tell', says, refusals: [], ok: false };
}
