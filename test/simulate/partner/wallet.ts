import type { Effect } from '../../checker/index.js';
import type { Chance } from '#shop';
import type { PartnerCall } from './partner-call.js';

/** A member's card as it is at one time. */
export interface WalletPass {
  readonly passId: number;
  readonly serialNumber: string;
  readonly templateTierId: unknown;
  readonly currentMessage: unknown;
  readonly groupId: unknown;
  readonly templateId: unknown;
  readonly passdata: Readonly<Record<string, unknown>>;
}

/** The states of a card, with since when. */
interface PassHistory {
  readonly states: { readonly at: number; readonly pass: WalletPass }[];
}

interface WalletRules {
  /** Refuses a second pass of a member and a second use of a unique value, always. */
  readonly enforcesUniqueness: boolean;
  /** By transaction type: the attribute whose values are taken once. */
  readonly uniqueAttributes: Readonly<Record<string, string>>;
  readonly pointsOf: Readonly<Record<string, number>>;
}

/** What a call is about to do: done, or refused for a reason that is said in many ways. */
export type WalletResult =
  | { readonly kind: 'done'; readonly answer: object }
  | { readonly kind: 'duplicate-pass' }
  | { readonly kind: 'duplicate-value'; readonly attribute: string; readonly value: string }
  | { readonly kind: 'no-pass' };

/** The partner's state: cards, values in use, and the ledger of everything that took effect. */
export class Wallet {
  readonly ledger: Effect[] = [];
  /** What the ledger's entries leave out, in the same order. */
  readonly details: { readonly passId: number | null; readonly body: PartnerCall['body'] }[] = [];
  /** Of cards that nobody of ours asked for. */
  readonly givenPassIds: number[] = [];
  private readonly passes = new Map<string, PassHistory>();
  private readonly values = new Set<string>();
  private lastId = 5_000;

  constructor(private readonly rules: WalletRules) {}

  /** The card as it was at that time; undefined: there was none. */
  passAt(call: Pick<PartnerCall, 'program' | 'uniqueId'>, at: number): WalletPass | undefined {
    return this.passes.get(passKey(call))?.states.findLast((state) => state.at <= at)?.pass;
  }

  /** Every card as it is now, those that another one of the same member hides among them. */
  presentPasses(): { readonly program: string; readonly pass: WalletPass }[] {
    return [...this.passes].flatMap(([key, { states }]) => {
      const last = new Map(states.map(({ pass }) => [pass.passId, pass]));
      const [program] = JSON.parse(key) as [string];
      return [...last.values()].map((pass) => ({ program, pass }));
    });
  }

  /** Of every card that the member ever had. */
  passIdsOf(program: string, uniqueId: string): number[] {
    const states = this.passes.get(passKey({ program, uniqueId }))?.states ?? [];
    return [...new Set(states.map(({ pass }) => pass.passId))];
  }

  /** The cards of everybody else in the program, as they were at that time. */
  strangersOf(call: Pick<PartnerCall, 'program' | 'uniqueId'>, at: number): WalletPass[] {
    const own = passKey(call);
    const isStranger = (key: string): boolean => key !== own && (JSON.parse(key) as [string])[0] === call.program;
    const histories = [...this.passes].filter(([key]) => isStranger(key));
    return histories.flatMap(([, { states }]) => states.findLast((state) => state.at <= at)?.pass ?? []);
  }

  /** A card that nobody of ours asked for: the member had it before. */
  givePass(call: Pick<PartnerCall, 'program' | 'uniqueId'>, at: number): void {
    const shown = { templateTierId: 9, currentMessage: 'from before', templateId: 5 };
    const pass = this.newPass({ metaData: { memberId: call.uniqueId }, points: 0 }, shown);
    this.givenPassIds.push(pass.passId);
    this.store(call, at, pass);
  }

  /** Applies a call that changes something. */
  apply(
    call: PartnerCall,
    times: { readonly arrivedAt: number; readonly now: number; requestId: string },
  ): WalletResult {
    switch (call.name) {
      case 'issue':
      case 'issue-via-workflow':
        return this.issue(call, times);
      case 'update-via-workflow':
      case 'schedule-update':
        return this.update(call, times);
      case 'reward':
        return this.movePoints(call, times, null);
      case 'transaction':
        return this.transact(call, times);
      case 'token':
      case 'lookup':
      case 'list':
        throw new Error(`${call.name} changes nothing`);
    }
  }

  /** The value of the unique attribute that a transaction carries. */
  keyOf({ name, target, body }: PartnerCall): string | null {
    const attribute = this.rules.uniqueAttributes[target ?? ''];
    if (name !== 'transaction' || attribute === undefined) return null;
    const { attributes } = body as { readonly attributes?: Readonly<Record<string, string>> };
    return attributes?.[attribute] ?? null;
  }

  private issue(call: PartnerCall, times: Times): WalletResult {
    const isThere = this.passAt(call, times.now) !== undefined;
    if (isThere && this.rules.enforcesUniqueness) return { kind: 'duplicate-pass' };
    const pass = this.newPass((call.body['passdata'] ?? {}) as Record<string, unknown>, call.body);
    this.store(call, times.now, pass);
    this.write(call, times, null);
    return { kind: 'done', answer: pass };
  }

  private update(call: PartnerCall, times: Times): WalletResult {
    const isScheduled = call.name === 'schedule-update';
    const pass = this.passAt(call, times.now);
    // A workflow issues or updates (partner-api.md 4.3).
    if (pass === undefined) return isScheduled ? { kind: 'no-pass' } : this.issue(call, times);
    const change = (isScheduled ? call.body['update'] : call.body) as Record<string, unknown>;
    const changed = isScheduled ? pass : changedPass(pass, change);
    this.store(call, times.now, changed);
    this.write(call, times, null);
    return { kind: 'done', answer: isScheduled ? { message: 'The schedule was created' } : changed };
  }

  private transact(call: PartnerCall, times: Times): WalletResult {
    const attribute = this.rules.uniqueAttributes[call.target ?? ''];
    const value = this.keyOf(call);
    if (attribute === undefined || value === null) return this.movePoints(call, times, null);
    const key = JSON.stringify([call.program, call.target, value]);
    if (this.rules.enforcesUniqueness && this.values.has(key)) return { kind: 'duplicate-value', attribute, value };
    const result = this.movePoints(call, times, value);
    if (result.kind === 'done') this.values.add(key);
    return result;
  }

  private movePoints(call: PartnerCall, times: Times, key: string | null): WalletResult {
    const pass = this.passAt(call, times.now);
    if (pass === undefined) return { kind: 'no-pass' };
    const points = Number(pass.passdata['points'] ?? 0) + (this.rules.pointsOf[`${call.name} ${call.target}`] ?? 0);
    const moved = { ...pass, passdata: { ...pass.passdata, points } };
    this.store(call, times.now, moved);
    this.write(call, times, key);
    return { kind: 'done', answer: call.name === 'reward' ? moved : { transactionId: this.nextId() } };
  }

  private newPass(passdata: Readonly<Record<string, unknown>>, body: PartnerCall['body']): WalletPass {
    const passId = this.nextId();
    const { templateTierId, currentMessage, groupId, templateId } = body;
    return { passId, serialNumber: `SN${passId}`, templateTierId, currentMessage, groupId, templateId, passdata };
  }

  private store(call: Pick<PartnerCall, 'program' | 'uniqueId'>, at: number, pass: WalletPass): void {
    const key = passKey(call);
    const history = this.passes.get(key) ?? { states: [] };
    history.states.push({ at, pass });
    this.passes.set(key, history);
  }

  private write(call: PartnerCall, { arrivedAt, now, requestId }: Times, key: string | null): void {
    this.details.push({ passId: this.passAt(call, now)?.passId ?? null, body: call.body });
    this.ledger.push({
      seq: this.ledger.length + 1,
      operation: call.name,
      program: call.program ?? '',
      uniqueId: call.uniqueId,
      key,
      target: call.target,
      content: contentOf(call),
      arrivedAt,
      appliedAt: now,
      requestId,
    });
  }

  private nextId(): number {
    this.lastId += 1;
    return this.lastId;
  }
}

type Times = Parameters<Wallet['apply']>[1];

function passKey({ program, uniqueId }: Pick<PartnerCall, 'program' | 'uniqueId'>): string {
  return JSON.stringify([program, uniqueId]);
}

/** What tells two transactions of one type apart, as canonical text. */
export function contentOf({ name, body }: Pick<PartnerCall, 'name' | 'body'>): string | null {
  return name === 'transaction' ? transactionContent(body) : null;
}

export function transactionContent(of: { readonly [name: string]: unknown }): string {
  return JSON.stringify([Number(of['amount']), of['transactionDate'], of['attributes']]);
}

function changedPass(pass: WalletPass, change: Readonly<Record<string, unknown>>): WalletPass {
  const { passdata, ...own } = change as { readonly passdata?: Record<string, unknown> };
  const metaData = { ...(pass.passdata['metaData'] as object), ...(passdata?.['metaData'] as object | undefined) };
  return { ...pass, ...own, passdata: { ...pass.passdata, ...passdata, metaData } };
}

type Refusal = Exclude<WalletResult, { kind: 'done' }>;

interface Refused {
  readonly status: number;
  readonly message: string;
}

/** A refusal in one of many wordings and statuses: the partner documents neither. */
export function refusalOf(refusal: Refusal, uniqueId: string, chance: Chance): Refused {
  switch (refusal.kind) {
    case 'duplicate-pass':
      return {
        status: chance.pick([400, 409, 422]),
        message: chance.pick([
          `A wallet pass with memberId ${uniqueId} already exists`,
          `Duplicate unique identifier: ${uniqueId}`,
          `unique_id ${uniqueId} is already in use`,
        ]),
      };
    case 'duplicate-value':
      return {
        status: chance.pick([400, 409, 422]),
        message: chance.pick([
          `Attribute ${refusal.attribute} must be unique: ${refusal.value}`,
          `Duplicate value ${refusal.value} for ${refusal.attribute}`,
          `${refusal.value} has already been used`,
        ]),
      };
    case 'no-pass':
      return {
        status: chance.pick([400, 404]),
        message: chance.pick(['Wallet pass not found', 'No such member', `Could not find a pass for ${uniqueId}`]),
      };
  }
}
