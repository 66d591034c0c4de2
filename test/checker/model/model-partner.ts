import type { AttemptOutcome } from '#domain';

import type { AskedEffect, Effect, PartnerRequest } from '../history.js';
import type { Agenda } from './agenda.js';
import type { Chance } from '#shop';
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

interface Received {
  readonly memberId: string;
  readonly asks: AskedEffect;
  readonly fate: Fate;
}

type NotedCall = Pick<Effect, 'operation' | 'requestId' | 'arrivedAt' | 'target' | 'key' | 'content'>;
type Fate =
  | 'fine'
  | 'too-many'
  | 'refused'
  | 'lost-before'
  | 'lost-after'
  | 'late'
  | 'not-sent'
  | 'hollow-before'
  | 'hollow-after'
  | 'foreign-before'
  | 'foreign-after';

const unknown: AttemptOutcome = { kind: 'unknown', code: 'timeout', retryAfterMs: null };
/** Answers of which nobody can tell what became of the request. */
const feigned: Partial<Record<Fate, AttemptOutcome>> = {
  'hollow-before': { kind: 'unknown', code: 'unproven-200', retryAfterMs: null },
  'hollow-after': { kind: 'unknown', code: 'unproven-200', retryAfterMs: null },
  'foreign-before': { kind: 'unknown', code: 'foreign-pass', retryAfterMs: null },
  'foreign-after': { kind: 'unknown', code: 'foreign-pass', retryAfterMs: null },
};
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
/** What a worker says of a request that it did not send any more. */
export const missedWindow: AttemptOutcome = {
  kind: 'not-applied',
  code: 'send-window-missed',
  answered: false,
  systemic: false,
  retryAfterMs: null,
};

/** What it would say of a lost answer by mistake. */
export const timedOut: AttemptOutcome = {
  kind: 'not-applied',
  code: 'timeout',
  answered: true,
  systemic: false,
  retryAfterMs: null,
};

const silent: readonly Fate[] = ['lost-before', 'lost-after', 'late'];
const feigning = Object.keys(feigned) as Fate[];
/** Of all troubles. */
const feignedShare = 0.15;
const troubles: readonly Fate[] = [
  'too-many',
  'too-many',
  'refused',
  'lost-before',
  'lost-after',
  'lost-after',
  'late',
  'not-sent',
];
const idle: readonly Fate[] = ['lost-before', 'hollow-before', 'foreign-before'];
const statusOf: Readonly<Record<string, number>> = {
  applied: 200,
  rejected: 400,
  'not-applied': 429,
  'unproven-200': 200,
  'foreign-pass': 200,
};

/** What whoever asked makes of the answer. */
function reportOf(fate: Fate, outcome: AttemptOutcome): AttemptOutcome {
  return feigned[fate] ?? (silent.includes(fate) ? unknown : outcome);
}

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

  private receive(request: Received, answer: (answer: Answer) => void): void {
    const { memberId, asks, fate } = request;
    const { operation, target, key, content } = asks;
    const arrivedAt = this.agenda.now;
    this.count += 1;
    const noted = { operation, target, key, content, arrivedAt, requestId: `r${this.count}` };
    const outcome = this.outcomeOf(request);
    const endsAfterMs = silent.includes(fate) ? timeoutMs : this.chance.between(2, 60);
    if (outcome.kind === 'applied' && !idle.includes(fate)) this.applyLater(request, noted, endsAfterMs);
    const report = reportOf(fate, outcome);
    const isFeigned = fate in feigned;
    const status = statusOf[report.kind === 'unknown' ? report.code : report.kind] ?? null;
    const retryAfterMs = report.kind === 'not-applied' ? report.retryAfterMs : null;
    const endedAt = arrivedAt + endsAfterMs;
    this.requests.push({
      ...noted,
      program: modelProgram,
      uniqueId: memberId,
      endedAt,
      status,
      retryAfterMs,
      isFeigned,
    });
    this.agenda.after(endsAfterMs + 1, () => {
      answer({ outcome: report, requestId: status === null ? null : noted.requestId });
    });
  }

  private applyLater(request: Received, noted: NotedCall, endsAfterMs: number): void {
    const isLate = request.fate === 'late';
    const delayMs = isLate
      ? this.chance.between(timeoutMs, inFlightMs - 1_000)
      : this.chance.between(0, endsAfterMs - 1);
    this.agenda.after(delayMs, () => {
      this.apply(request, noted);
    });
  }

  private outcomeOf({ memberId, asks, fate }: Received): AttemptOutcome {
    if (fate === 'too-many') return tooMany;
    const refusal = this.refusalOf(memberId, asks);
    if (refusal !== null) return rejected(refusal);
    return fate === 'refused' ? rejected('refused') : { kind: 'applied' };
  }

  private refusalOf(memberId: string, asks: AskedEffect): 'duplicate' | 'no-such-pass' | null {
    const hasPass = this.passes.has(memberId);
    if (asks.operation === 'issue') return hasPass && this.means.enforces ? 'duplicate' : null;
    if (!hasPass) return 'no-such-pass';
    return this.isTaken(asks) ? 'duplicate' : null;
  }

  private apply({ memberId, asks }: Received, noted: NotedCall): void {
    if (this.refusalOf(memberId, asks) !== null) return;
    if (asks.key !== null) this.used.add(asks.key);
    this.change(this.passes.get(memberId) ?? this.newPass(memberId), asks);
    const { now: appliedAt } = this.agenda;
    this.ledger.push({ ...noted, seq: this.ledger.length + 1, program: modelProgram, uniqueId: memberId, appliedAt });
  }

  private newPass(memberId: string): Pass {
    const pass = { points: 100, content: null };
    this.passes.set(memberId, pass);
    return pass;
  }

  private change(pass: Pass, { operation, pointsDelta, content }: AskedEffect): void {
    if (operation === 'reward') pass.points += pointsDelta ?? 0;
    if (operation === 'update-via-workflow') pass.content = content;
  }

  private isTaken({ key, isEnforced }: AskedEffect): boolean {
    return this.means.enforces && key !== null && isEnforced && this.used.has(key);
  }

  private fate(): Fate {
    if (!this.chance.happens(this.means.trouble.share)) return 'fine';
    return this.chance.pickAny(this.chance.happens(feignedShare) ? feigning : troubles) ?? 'fine';
  }
}
