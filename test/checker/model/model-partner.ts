import type { AttemptOutcome } from '#domain';

import type { AskedEffect } from '../history/lane-history.js';
import type { Effect, PartnerRequest } from '../history/partner-history.js';
import type { Agenda } from './agenda.js';
import type { Chance } from './chance.js';
import { modelProgram } from './model-lane.js';

export const timeoutMs = 2_000;
export const inFlightMs = 20_000;

export interface Answer {
  readonly outcome: AttemptOutcome;
  /** Null where there was no answer. */
  readonly requestId: string | null;
}

export interface Pass {
  points: number;
  content: string | null;
}

type Fate = 'fine' | 'too-many' | 'refused' | 'lost-before' | 'lost-after' | 'late' | 'not-sent';

const unknown: AttemptOutcome = { kind: 'unknown', code: 'timeout', retryAfterMs: null };
const notSent: AttemptOutcome = {
  kind: 'not-applied',
  code: 'refused',
  answered: false,
  systemic: false,
  retryAfterMs: null,
};
const tooMany: AttemptOutcome = {
  kind: 'not-applied',
  code: 'too-many',
  answered: true,
  systemic: false,
  retryAfterMs: 500,
};
const statusOf: Readonly<Record<string, number>> = { applied: 200, rejected: 400, 'not-applied': 429 };

function rejected(code: 'duplicate' | 'no-such-pass' | 'refused'): AttemptOutcome {
  return { kind: 'rejected', code, message: code };
}

/** The partner's side: what it did, and what it noted of it. Applies what it applies within `inFlightMs`. */
export class ModelPartner {
  readonly ledger: Effect[] = [];
  readonly requests: PartnerRequest[] = [];
  readonly passes = new Map<string, Pass>();
  private readonly used = new Set<string>();
  private count = 0;

  constructor(
    private readonly agenda: Agenda,
    private readonly chance: Chance,
    private readonly means: { readonly trouble: { share: number }; readonly enforces: boolean },
  ) {}

  send(memberId: string, asks: AskedEffect, answer: (answer: Answer) => void): void {
    const fate = this.fate();
    if (fate === 'not-sent') {
      this.agenda.after(this.chance.between(1, 20), () => answer({ outcome: notSent, requestId: null }));
      return;
    }
    this.agenda.after(this.chance.between(1, 20), () => this.receive({ memberId, asks, fate }, answer));
  }

  /** Null: it could not say. */
  lookup(memberId: string, answer: (pass: Pass | 'absent' | null) => void): void {
    const isFailing = this.chance.happens(this.means.trouble.share / 2);
    this.agenda.after(this.chance.between(2, 40), () =>
      answer(isFailing ? null : (this.passes.get(memberId) ?? 'absent')),
    );
  }

  private receive(
    request: { readonly memberId: string; readonly asks: AskedEffect; readonly fate: Fate },
    answer: (answer: Answer) => void,
  ): void {
    const { fate } = request;
    const arrivedAt = this.agenda.now;
    this.count += 1;
    const requestId = `r${this.count}`;
    const outcome = this.outcomeOf(request);
    const isSilent = fate === 'lost-before' || fate === 'lost-after' || fate === 'late';
    const endsAfterMs = isSilent ? timeoutMs : this.chance.between(2, 60);
    const appliesAfterMs =
      fate === 'late' ? this.chance.between(timeoutMs, inFlightMs - 1_000) : this.chance.between(0, endsAfterMs - 1);
    const noted = {
      requestId,
      arrivedAt,
      target: request.asks.target,
      key: request.asks.key,
      content: request.asks.content,
    };
    if (outcome.kind === 'applied' && fate !== 'lost-before') {
      this.agenda.after(appliesAfterMs, () => this.apply(request, noted));
    }
    const told = isSilent ? unknown : outcome;
    const status = statusOf[told.kind] ?? null;
    const retryAfterMs = told.kind === 'not-applied' ? told.retryAfterMs : null;
    this.requests.push({
      ...noted,
      operation: request.asks.operation,
      program: modelProgram,
      uniqueId: request.memberId,
      endedAt: arrivedAt + endsAfterMs,
      status,
      retryAfterMs,
    });
    this.agenda.after(endsAfterMs + 1, () => answer({ outcome: told, requestId: status === null ? null : requestId }));
  }

  private outcomeOf({
    memberId,
    asks,
    fate,
  }: {
    readonly memberId: string;
    readonly asks: AskedEffect;
    readonly fate: Fate;
  }): AttemptOutcome {
    if (fate === 'too-many') return tooMany;
    const isIssue = asks.operation === 'issue';
    const hasPass = this.passes.has(memberId);
    if (isIssue && hasPass && this.means.enforces) return rejected('duplicate');
    if (!isIssue && !hasPass) return rejected('no-such-pass');
    if (this.isTaken(asks)) return rejected('duplicate');
    return fate === 'refused' ? rejected('refused') : { kind: 'applied' };
  }

  private apply(
    { memberId, asks }: { readonly memberId: string; readonly asks: AskedEffect },
    noted: Pick<Effect, 'requestId' | 'arrivedAt' | 'target' | 'key' | 'content'>,
  ): void {
    const { operation, key, content } = asks;
    const pass = this.passes.get(memberId);
    if (operation === 'issue' ? pass !== undefined && this.means.enforces : pass === undefined) return;
    if (this.isTaken(asks)) return;
    if (key !== null) this.used.add(key);
    const after = pass ?? { points: 100, content: null };
    after.points += asks.operation === 'reward' ? (asks.pointsDelta ?? 0) : 0;
    if (operation === 'update-via-workflow') after.content = content;
    this.passes.set(memberId, after);
    this.ledger.push({
      ...noted,
      seq: this.ledger.length + 1,
      operation,
      program: modelProgram,
      uniqueId: memberId,
      appliedAt: this.agenda.now,
    });
  }

  private isTaken({ key, isEnforced }: AskedEffect): boolean {
    return this.means.enforces && key !== null && isEnforced && this.used.has(key);
  }

  private fate(): Fate {
    if (!this.chance.happens(this.means.trouble.share)) return 'fine';
    return (
      this.chance.pick([
        'too-many',
        'refused',
        'lost-before',
        'lost-after',
        'lost-after',
        'late',
        'not-sent',
      ] as const) ?? 'fine'
    );
  }
}
