import type { ContractClient, Seen } from './interpreter/contract-client.js';
import type { Names } from './interpreter/names.js';
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
  /** It is as the setup says. */
  readonly ok: boolean;
}

interface ProofParts {
  readonly session: Session;
  readonly client: ContractClient;
  readonly names: Names;
  readonly setup: Setup;
}

type UniqueType = Setup['transactionTypes']['unique'][number];

/** Posts one value twice on each transaction type that the setup names. Writes two transactions where nobody minds. */
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
    return judged(type, [first, second], { names: parts.names, value: String(scope['self']) });
  } catch (error) {
    return undecided(type, [], error instanceof Error ? error.message : String(error));
  }
}

function postOf({ id, attribute }: UniqueType): Step {
  return stepSchema.parse({
    call: 'transaction',
    path: { transaction_type_id: id },
    query: { unique_id: '${bare-pass.member}' },
    body: {
      amount: 1,
      transactionDate: '2026-11-21T09:15:04.000Z',
      attributes: attribute === null ? {} : { [attribute]: '${self}' },
    },
    expect: { status: 200 },
  });
}

function judged(
  type: UniqueType,
  [first, second]: readonly [Seen, Seen],
  { names, value }: { readonly names: Names; readonly value: string },
): UniqueProof {
  const statuses = [first.status, second.status];
  const base = { transactionTypeId: type.id, attribute: type.attribute, statuses };
  if (first.status !== 200) return undecided(type, statuses, `the first one was not taken: ${messageOf(first)}`);
  if (second.status === 200) {
    const says = 'uniqueEnforced must be false: the same transaction is taken twice';
    return { ...base, verdict: 'not enforced', says, ok: type.attribute === null };
  }
  if (!isRefusal(second)) return undecided(type, statuses, `the second one brought ${messageOf(second)}`);
  const attribute = type.attribute ?? '';
  if (type.attribute === null) {
    return undecided(type, statuses, `refused without a unique attribute: ${messageOf(second)}`);
  }
  if (!isRecognised(messageOf(second), { names, words: [value, attribute] })) {
    const says = `refused, but the dialect's duplicate.pattern does not fit: ${messageOf(second)}`;
    return { ...base, verdict: 'not recognised', says, ok: false };
  }
  return { ...base, verdict: 'enforced', says: 'uniqueEnforced may be true', ok: true };
}

/** As the gateway reads it: words of a duplicate, and the value or its attribute (contracts.md section 6). */
function isRecognised(message: string, { names, words }: { names: Names; words: readonly string[] }): boolean {
  const isDuplicate = new RegExp(String(names.at('duplicate.pattern')), 'iu').test(message);
  return isDuplicate && words.some((word) => message.toLowerCase().includes(word.toLowerCase()));
}

function isRefusal({ status }: Seen): boolean {
  return status === 400 || status === 409 || status === 422;
}

function messageOf({ status, body, problems }: Seen): string {
  const message = valueAt(body, 'message');
  return typeof message === 'string' ? `${status ?? ''} ${message}` : [status ?? 'no answer', ...problems].join(' ');
}

function undecided({ id, attribute }: UniqueType, statuses: UniqueProof['statuses'], says: string): UniqueProof {
  return { transactionTypeId: id, attribute, statuses, verdict: 'cannot tell', says, ok: false };
}
