import type { AttemptOutcome, Operation, PartnerCommand } from '#intents/core';
import { needsPass } from '#intents/core';
import type { AttemptReport, LookupReport } from '#gateway';

import type { Agenda, Chance, Trouble } from './agenda.js';
import { commandOf, lookup, report } from './engine-harness.js';

export interface IntentPlace {
  readonly laneId: number;
  readonly seq: number;
}

/** A command that tells its place, so that the fake partner's ledger can be held against the lane. */
export function commandFor({
  laneId,
  seq,
  operation,
}: IntentPlace & { readonly operation: Operation }): PartnerCommand {
  const place = `${laneId}/${seq}`;
  const command = { ...commandOf(operation), uniqueId: place };
  const isUnique = command.operation === 'transaction' && seq % 2 === 1;
  return isUnique ? { ...command, uniqueAttribute: { name: 'receipt', value: place, enforced: true } } : command;
}

/** Whether the partner refuses a second effect of the same command. */
function isEnforced(command: PartnerCommand): boolean {
  return command.operation === 'transaction' && command.uniqueAttribute?.enforced === true;
}

export function placeOf({ uniqueId }: PartnerCommand): IntentPlace {
  const [laneId, seq] = uniqueId.split('/').map(Number);
  if (laneId === undefined || seq === undefined) throw new Error(`${uniqueId} names no place`);
  return { laneId, seq };
}

/** One effect at the partner. */
export interface LedgerEntry extends IntentPlace {
  readonly at: number;
}

/** What happens to one request. Times in milliseconds after it was handed over. */
interface Fate {
  readonly report: AttemptReport<unknown>;
  readonly answersAfterMs: number;
  /** null: the request has no effect. */
  readonly appliesAfterMs: number | null;
}

const refused = { kind: 'rejected', code: 'refused', message: 'no' } as const;
const duplicate = { kind: 'rejected', code: 'duplicate', message: 'receipt already used' } as const;
const noSuchPass = { kind: 'rejected', code: 'no-such-pass', message: 'no pass' } as const;

function notApplied(answered: boolean, retryAfterMs: number | null): AttemptOutcome {
  return { kind: 'not-applied', code: answered ? 'http-429' : 'refused', answered, systemic: false, retryAfterMs };
}

function isIssue({ operation }: PartnerCommand): boolean {
  return operation === 'issue' || operation === 'issue-via-workflow';
}

/** The partner's side: what it applied, and how it answers. Applies what it applies within `inFlightMs`. */
export class FakePartner {
  readonly ledger: LedgerEntry[] = [];
  private readonly membersWithPass = new Set<number>();

  constructor(
    private readonly agenda: Agenda,
    private readonly chance: Chance,
    private readonly options: { readonly trouble: Trouble; readonly timeoutMs: number; readonly inFlightMs: number },
  ) {}

  enrol(laneId: number): void {
    this.membersWithPass.add(laneId);
  }

  /** @returns after how many milliseconds the answer comes */
  send(command: PartnerCommand, answer: (report: AttemptReport<unknown>) => void): number {
    const fate = this.isRepeated(command) ? this.refusalOfRepeat() : this.fateOf(command);
    const { appliesAfterMs, answersAfterMs } = fate;
    if (appliesAfterMs !== null) {
      this.agenda.after(appliesAfterMs, () => {
        this.apply(command);
      });
    }
    this.agenda.after(answersAfterMs, () => {
      answer(fate.report);
    });
    return answersAfterMs;
  }

  lookup(command: PartnerCommand, answer: (report: LookupReport) => void): void {
    const { trouble, timeoutMs } = this.options;
    const isFailing = trouble.isPartnerAway || this.chance.happens(trouble.partner);
    const isStale = this.chance.happens(trouble.partner / 4);
    const hasPass = this.membersWithPass.has(placeOf(command).laneId) && !isStale;
    this.agenda.after(this.delay(timeoutMs), () => {
      answer(lookup(isFailing ? 'failed' : hasPass ? 'found' : 'absent'));
    });
  }

  /** How many passes the listing counts; null when it fails. */
  count(command: PartnerCommand): number | null {
    const { trouble } = this.options;
    if (trouble.isPartnerAway || this.chance.happens(trouble.partner)) return null;
    return this.membersWithPass.has(placeOf(command).laneId) ? 1 : 0;
  }

  /** An effect that the partner does not take twice, and has. */
  private isRepeated(command: PartnerCommand): boolean {
    const { laneId, seq } = placeOf(command);
    const { trouble } = this.options;
    if (trouble.isPartnerAway || this.chance.happens(trouble.partner / 2)) return false;
    if (isIssue(command)) return this.membersWithPass.has(laneId);
    return isEnforced(command) && this.ledger.some((entry) => entry.laneId === laneId && entry.seq === seq);
  }

  private refusalOfRepeat(): Fate {
    return { report: report(duplicate), answersAfterMs: this.delay(this.options.timeoutMs), appliesAfterMs: null };
  }

  private apply(command: PartnerCommand): void {
    const place = placeOf(command);
    const has = this.ledger.some(({ laneId, seq }) => laneId === place.laneId && seq === place.seq);
    if ((isEnforced(command) && has) || (isIssue(command) && this.membersWithPass.has(place.laneId))) return;
    this.ledger.push({ ...place, at: this.agenda.now });
    if (isIssue(command)) this.enrol(place.laneId);
  }

  private delay(maxMs: number): number {
    return this.chance.happens(0.8) ? this.chance.between(1, 40) : this.chance.between(1, maxMs);
  }

  private fateOf(command: PartnerCommand): Fate {
    const { trouble, timeoutMs } = this.options;
    const answersAfterMs = this.delay(timeoutMs);
    if (trouble.isPartnerAway) return this.fateWhileAway(answersAfterMs);
    const isWithoutPass = needsPass(command.operation) && !this.membersWithPass.has(placeOf(command).laneId);
    if (isWithoutPass) return { report: report(noSuchPass), answersAfterMs, appliesAfterMs: null };
    if (this.chance.happens(trouble.partner)) return this.troubledFate(command, answersAfterMs);
    return {
      report: report({ kind: 'applied' }),
      answersAfterMs,
      appliesAfterMs: this.chance.between(0, answersAfterMs),
    };
  }

  private fateWhileAway(answersAfterMs: number): Fate {
    if (this.chance.happens(0.3)) return this.unknownFate();
    const seen = report(notApplied(false, null), { phase: 'not-sent' });
    return { report: seen, answersAfterMs, appliesAfterMs: null };
  }

  private troubledFate(command: PartnerCommand, answersAfterMs: number): Fate {
    const retryAfterMs = this.chance.happens(0.3) ? this.chance.between(0, 3_000) : null;
    // A partner that enforces a value never speaks of a duplicate where there is none.
    const refusal = isEnforced(command) ? refused : duplicate;
    const outcome = this.chance.pick([notApplied(true, retryAfterMs), notApplied(true, null), refused, refusal]);
    if (outcome === undefined || this.chance.happens(0.4)) return this.unknownFate();
    return { report: report(outcome), answersAfterMs, appliesAfterMs: null };
  }

  /** Neither side knows: a timeout or a broken connection, without the effect, with it, or with it much later. */
  private unknownFate(): Fate {
    const { timeoutMs, inFlightMs } = this.options;
    const answersAfterMs = this.chance.happens(0.5) ? timeoutMs : this.chance.between(1, timeoutMs);
    const outcome = { kind: 'unknown', code: 'timeout', retryAfterMs: null } as const;
    const latestMs = this.chance.happens(0.3) ? inFlightMs : answersAfterMs;
    const appliesAfterMs = this.chance.happens(0.5) ? this.chance.between(0, latestMs) : null;
    return { report: report(outcome, { phase: 'sent' }), answersAfterMs, appliesAfterMs };
  }
}
