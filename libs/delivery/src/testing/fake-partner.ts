import type { AttemptOutcome, PartnerCommand } from '#domain';
import { needsPass } from '#domain';
import type { AttemptReport, LookupReport } from '#gateway';

import { lookup, report } from './engine-harness.js';
import type { Agenda } from './agenda.js';
import type { Chance } from './chance.js';
import type { IntentPlace } from './command-for.js';
import { placeOf } from './command-for.js';
import type { Trouble } from './trouble.js';

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

/** The partner's side: what it applied, and how it answers. Applies what it applies within the timeout. */
export class FakePartner {
  readonly ledger: LedgerEntry[] = [];
  private readonly membersWithPass = new Set<number>();

  constructor(
    private readonly agenda: Agenda,
    private readonly chance: Chance,
    private readonly options: { readonly trouble: Trouble; readonly timeoutMs: number },
  ) {}

  enrol(laneId: number): void {
    this.membersWithPass.add(laneId);
  }

  /** @returns after how many milliseconds the answer comes */
  send(command: PartnerCommand, answer: (report: AttemptReport<unknown>) => void): number {
    const fate = this.fateOf(command);
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

  private apply(command: PartnerCommand): void {
    const place = placeOf(command);
    this.ledger.push({ ...place, at: this.agenda.now });
    if (command.operation === 'issue' || command.operation === 'issue-via-workflow') this.enrol(place.laneId);
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
    if (this.chance.happens(trouble.partner)) return this.troubledFate(answersAfterMs);
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

  private troubledFate(answersAfterMs: number): Fate {
    const retryAfterMs = this.chance.happens(0.3) ? this.chance.between(0, 3_000) : null;
    const outcome = this.chance.pick([notApplied(true, retryAfterMs), notApplied(true, null), refused, duplicate]);
    if (outcome === undefined || this.chance.happens(0.4)) return this.unknownFate();
    return { report: report(outcome), answersAfterMs, appliesAfterMs: null };
  }

  /** Neither side knows: a timeout or a broken connection, with or without the effect. */
  private unknownFate(): Fate {
    const { timeoutMs } = this.options;
    const answersAfterMs = this.chance.happens(0.5) ? timeoutMs : this.chance.between(1, timeoutMs);
    const outcome = { kind: 'unknown', code: 'timeout', retryAfterMs: null } as const;
    const appliesAfterMs = this.chance.happens(0.5) ? this.chance.between(0, answersAfterMs) : null;
    return { report: report(outcome, { phase: 'sent' }), answersAfterMs, appliesAfterMs };
  }
}
