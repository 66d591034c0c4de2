import { setTimeout as delay } from 'node:timers/promises';

import type { JsonObject, OperatorAct } from '../../judge/case.js';
import type { ChaosHarness } from '../installation/chaos-harness.js';
import { operatorToken } from '../installation/chaos-harness.js';

const roundEveryMs = 2_000;
const requestMsMax = 5_000;
/** Of each list, in one round. */
const perRoundMax = 50;
/** Whatever is refused again and again is left to others. */
const triesMax = 2;

interface Page<Item> {
  readonly items: readonly Item[];
}

interface SetAside {
  readonly id: number;
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

export interface OperatorsReport {
  /** What was asked for and granted, by what it was. */
  readonly done: Readonly<Record<string, number>>;
}

interface Asked {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: object;
}

/**
 * People who look at the lists all the time, by the operations API of whichever daemon answers: what the partner
 * refused they send once more, what nobody can read they give up, what was told in a wrong form they take in as the till meant it.
 */
export class Operators {
  /** What the audit does not show of what they did, whether or not an answer came. */
  readonly acts: OperatorAct[] = [];
  private readonly done = new Map<string, number>();
  private readonly tries = new Map<string, number>();
  private readonly stopping = new AbortController();
  private work: Promise<void> = Promise.resolve();

  constructor(
    private readonly harness: Pick<ChaosHarness, 'posts'>,
    /** What a till meant by an event that it told in a wrong form, by the event's id; null: nobody knows yet. */
    private readonly meantBy: (eventId: string) => JsonObject | null,
  ) {}

  open(): void {
    this.work = this.run();
  }

  /** Nobody does anything any more. */
  async pause(): Promise<void> {
    this.stopping.abort();
    await this.work;
  }

  /**
   * At rest, everything that is left. What was told in a wrong form is taken in only now: nobody outside could say whether
   * it came before or after what had been sent by then and lay there unread.
   */
  async finish(): Promise<void> {
    await this.round(async () => {
      for (const record of await this.list<SetAside>('/quarantine?reason=invalid')) await this.takeIn(record);
    });
  }

  report(): OperatorsReport {
    return { done: Object.fromEntries([...this.done].toSorted()) };
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await this.round();
      await delay(roundEveryMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Daemons and their database may be away, or go away meanwhile: then the next round does it. */
  private async round(more: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    try {
      await more();
      for (const { id } of (await this.list<SetAside>('/quarantine?reason=unreadable')).slice(0, 1)) {
        await this.act('discard', `/quarantine/${id}/discard`, { reason: 'no till can say what it was' });
      }
      for (const { id } of await this.list<{ readonly id: string }>('/intents?status=parked&reason=rejected')) {
        await this.act('replay', `/intents/${encodeURIComponent(id)}/replay`, { reason: 'the partner was busy' });
      }
    } catch {
      // Looked at again in the next round.
    }
  }

  /** Only one in the structured mode, which has the event's id with it. */
  private async takeIn({ id, topic, partition, offset }: SetAside): Promise<void> {
    const path = `/quarantine/${id}`;
    if ((this.tries.get(`${path}/resubmit`) ?? 0) >= triesMax) return;
    const details = await this.ask<{ readonly value: string | null }>({ method: 'GET', path });
    const eventId = idIn(details?.value ?? '');
    const value = eventId === null ? null : this.meantBy(eventId);
    if (value === null) return;
    const corrected = { value };
    this.acts.push({ act: 'resubmit', place: `${topic}/${partition}/${offset}`, corrected });
    await this.act('resubmit', `${path}/resubmit`, { reason: 'as the till meant it', corrected });
  }

  private async list<Item>(path: string): Promise<readonly Item[]> {
    const page = await this.ask<Page<Item>>({ method: 'GET', path: `${path}&limit=${perRoundMax}` });
    return page?.items ?? [];
  }

  private async act(what: string, path: string, body: object): Promise<void> {
    const tries = this.tries.get(path) ?? 0;
    if (tries >= triesMax) return;
    this.tries.set(path, tries + 1);
    const answer = await this.ask({ method: 'POST', path, body });
    if (answer !== null) this.done.set(what, (this.done.get(what) ?? 0) + 1);
  }

  /** @returns null where it was refused, or nobody is there to answer */
  private async ask<Answer>({ method, path, body }: Asked): Promise<Answer | null> {
    const address = this.harness.posts.map(({ slot }) => slot.address).find((each) => each !== null);
    if (typeof address !== 'string') return null;
    const response = await fetch(`${address}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${operatorToken}`, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(requestMsMax),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (response.ok) return (await response.json()) as Answer;
    await response.body?.cancel();
    return null;
  }
}

function idIn(value: string): string | null {
  try {
    const { id, specversion } = JSON.parse(value) as { readonly id?: unknown; readonly specversion?: unknown };
    return typeof id === 'string' && specversion !== undefined ? id : null;
  } catch {
    return null;
  }
}
