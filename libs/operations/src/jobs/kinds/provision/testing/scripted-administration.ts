import type { AttemptOutcome } from '#intents/core';
import type { Administration, AdministrationCall, AttemptReport } from '#gateway';

/** A call as the partner saw it. */
interface SeenCall {
  readonly call: AdministrationCall['call'] | 'updateBrand';
  /** Of what it was about. */
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

type Answer = (seen: SeenCall) => AttemptReport<never> | Promise<AttemptReport<never>>;

function report(outcome: AttemptOutcome, status: number | null, value: object | null = null): AttemptReport<never> {
  return {
    outcome,
    ...{ stage: status === null ? 'exchange' : 'answer', phase: status === null ? 'sent' : 'answered', durationMs: 3 },
    request: { method: 'POST', path: '/somewhere', body: '{}' },
    response: status === null ? null : { status, headers: {}, body: '', truncated: false },
    value: value as never,
    shapeAlarms: [],
  };
}

/** What the partner may say. */
export const answers = {
  done: (value: object = {}): AttemptReport<never> => report({ kind: 'applied' }, 200, value),
  refused: (message: string, code: 'refused' | 'duplicate' = 'refused'): AttemptReport<never> =>
    report({ kind: 'rejected', code, message }, 400),
  lost: (): AttemptReport<never> => report({ kind: 'unknown', code: 'timeout', retryAfterMs: null }, null),
  away: (code: string, retryAfterMs: number | null = null): AttemptReport<never> =>
    report({ kind: 'not-applied', code, answered: false, systemic: false, retryAfterMs }, null),
  noPath: (): AttemptReport<never> =>
    report({ kind: 'not-applied', code: 'http-404', answered: true, systemic: true, retryAfterMs: null }, 404),
} as const;

const idNames = {
  updateTransactionType: 'transactionTypeId',
  createTransactionAttribute: 'transactionAttributeId',
  createBrandAttribute: 'brandAttributeId',
  updateBrandAttribute: 'brandAttributeId',
  createTemplate: 'templateId',
  updateBrand: 'brandId',
} as const;

/** The partner's administration in memory: answers as told, else that all went well, with ids from 901 on. */
export class ScriptedAdministration implements Administration {
  readonly calls: SeenCall[] = [];
  answer: Answer = ({ call }) => answers.done({ [idNames[call]]: (this.nextId += 1) });
  private nextId = 900;

  /** The names of what it was asked for, in order. */
  get asked(): string[] {
    return this.calls.map(({ call, name }) => `${call} ${name}`);
  }

  async updateTransactionType(input: { readonly transactionTypeId: string }): Promise<AttemptReport<never>> {
    return this.take('updateTransactionType', { ...input, name: input.transactionTypeId });
  }

  async createTransactionAttribute(input: { readonly name: string }): Promise<AttemptReport<never>> {
    return this.take('createTransactionAttribute', input);
  }

  async createBrandAttribute(input: { readonly name: string }): Promise<AttemptReport<never>> {
    return this.take('createBrandAttribute', input);
  }

  async updateBrandAttribute(input: { readonly name?: string }): Promise<AttemptReport<never>> {
    return this.take('updateBrandAttribute', { ...input, name: input.name ?? '' });
  }

  async createTemplate(input: { readonly name: string }): Promise<AttemptReport<never>> {
    return this.take('createTemplate', input);
  }

  async updateBrand(input: { readonly name: string }): Promise<AttemptReport<never>> {
    return this.take('updateBrand', input);
  }

  private async take(call: SeenCall['call'], input: { readonly name: string }): Promise<AttemptReport<never>> {
    const seen = { call, name: input.name, input: { ...input } };
    this.calls.push(seen);
    return this.answer(seen);
  }
}
