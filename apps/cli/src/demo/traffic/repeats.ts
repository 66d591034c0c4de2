import { changed } from './broken-records.js';
import type { Chance } from './chance.js';
import type { CloudEvent, Content, Draft } from './draft.js';

type EventDraft = Draft & { readonly content: Extract<Content, { kind: 'event' }> };

const rememberedMax = 60;

/** Remembers what was emitted lately, to emit it again in the ways producers do. */
export class Repeats {
  private readonly recent: EventDraft[] = [];

  constructor(private readonly chance: Chance) {}

  remember(draft: Draft): void {
    const isOwnEffect = draft.expectation.kind === 'effect' || draft.expectation.kind === 'parked';
    if (draft.content.kind !== 'event' || !isOwnEffect) return;
    this.recent.push({ ...draft, content: draft.content });
    if (this.recent.length > rememberedMax) this.recent.shift();
  }

  /** The same event once more. Null while there is nothing to repeat. */
  sameEvent(): Draft | null {
    const draft = this.pick(() => true);
    return draft && { ...draft, expectation: { kind: 'nothing' }, role: 'duplicate event' };
  }

  /** The same business, told again under a new event id: a till that lost its outbox. Updates have no business key. */
  sameBusiness(newId: string): Draft | null {
    const draft = this.pick(({ role }) => ['enrolled', 'purchase', 'return', 'reward'].includes(role));
    if (draft === null) return null;
    const event = { ...draft.content.event, id: newId };
    return {
      ...draft,
      content: { kind: 'event', event },
      expectation: { kind: 'nothing' },
      role: 'duplicate business',
    };
  }

  /** The same event id over another body. */
  conflictingEvent(): Draft | null {
    return this.conflict((event) => changed(event, { total: otherTotal }));
  }

  /** The same receipt over another amount, under a new event id. */
  conflictingBusiness(newId: string): Draft | null {
    return this.conflict((event) => changed({ ...event, id: newId }, { total: otherTotal }));
  }

  private conflict(change: (event: CloudEvent) => Content): Draft | null {
    const draft = this.pick(({ role }) => role === 'purchase');
    if (draft === null) return null;
    const expectation = { kind: 'quarantined', reason: 'conflict' } as const;
    return { ...draft, content: change(draft.content.event), expectation, role: 'conflict' };
  }

  private pick(condition: (draft: EventDraft) => boolean): EventDraft | null {
    const candidates = this.recent.filter(condition);
    return candidates.length === 0 ? null : this.chance.pick(candidates);
  }
}

/** Larger than any purchase that the writer makes up. */
const otherTotal = { minor: 99_999, currency: 'EUR', digits: 2 };
