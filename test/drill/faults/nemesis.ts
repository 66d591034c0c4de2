import { setTimeout as delay } from 'node:timers/promises';

import type { Chance } from '#shop';
import type { ChaosHarness, Post } from '../installation/chaos-harness.js';
import { processPorts } from '../proxy/chaos-proxy.js';
import type { Link } from '../proxy/link.js';
import { Deck } from './deck.js';
import type { Fault, Heal } from './faults.js';
import { allFaults, commitThenDrop } from './faults.js';

/** A daemon killed while it waited for calls that had taken effect, or were about to. */
interface KillInDoubt {
  /** Calls whose answer or whose broken connection it never saw. */
  readonly calls: number;
  /** Of these: the partner broke the connection after, or long before, the effect. */
  readonly dropped: number;
}

const changing = /^POST \/brands\/[^ ]*\/(?:issue-wallet|wallet-passes|wallet-pass|transactions)\b/;
const pollIntervalMs = 20;
const holdMsMax = 1_500;
const callsWanted = [1, 6] as const;

async function linksOf(harness: ChaosHarness, { slot }: Post): Promise<Link[]> {
  const ports = slot.pid === null ? new Set<number>() : await processPorts(slot.pid);
  // Without /proc it cannot be told whose a connection is: then everybody's answers are held.
  return harness.partner.links.filter(({ clientPort }) => ports === null || ports.has(clientPort));
}

function inDoubt(links: readonly Link[]): KillInDoubt {
  const calls = links.flatMap(({ withheldCall }) => withheldCall ?? []).filter(({ request }) => changing.test(request));
  // A refusal leaves nothing in doubt. A connection that just ended was dropped after the effect, or before a late one.
  const done = calls.filter(({ head, isEnded }) => (head === '' ? isEnded : head.startsWith('HTTP/1.1 2')));
  return { calls: done.length, dropped: done.filter(({ head }) => head === '').length };
}

async function busiest(harness: ChaosHarness, chance: Chance): Promise<Post | null> {
  const ready = chance.shuffled(harness.posts.filter(({ slot }) => slot.isReady));
  for (const post of ready) {
    const links = await linksOf(harness, post);
    if (links.some(({ isBusy, lastRequest }) => isBusy && changing.test(lastRequest))) return post;
  }
  return null;
}

/**
 * Waits for a daemon that is at work, lets its calls take effect while it hears nothing more, and kills it.
 * @returns null when none was at work, or nothing came to be in doubt: then it lives on
 */
async function killInDoubt(harness: ChaosHarness, chance: Chance): Promise<KillInDoubt | null> {
  const post = await busiest(harness, chance);
  if (post === null) return null;
  const heal = await harness.wallet.misbehave(commitThenDrop);
  try {
    const wanted = chance.between(...callsWanted);
    let found: KillInDoubt = { calls: 0, dropped: 0 };
    for (let heldMs = 0; heldMs < holdMsMax && found.calls < wanted; heldMs += pollIntervalMs) {
      const links = await linksOf(harness, post);
      for (const link of links) link.holdAnswers();
      found = inDoubt(links);
      await delay(pollIntervalMs);
    }
    const links = await linksOf(harness, post);
    found = inDoubt(links);
    if (found.calls === 0) {
      // What was swallowed does not come back.
      links.filter(({ isDead }) => isDead).forEach((link) => link.reset());
      return null;
    }
    await post.slot.kill();
    return found;
  } finally {
    await heal();
  }
}

interface NemesisOptions {
  readonly harness: ChaosHarness;
  readonly chance: Chance;
  readonly seconds: number;
  readonly only: readonly string[];
  readonly say: (text: string) => void;
}

export interface NemesisReport {
  /** How often each fault was begun. */
  readonly begun: Readonly<Record<string, number>>;
  /** Kinds of the programme that found no time. */
  readonly notReached: readonly string[];
  readonly killsInDoubt: readonly KillInDoubt[];
  /** Most faults that were on at once. */
  readonly togetherMax: number;
}

/** Shares of the run: first everything alone, then kills in doubt; the rest is mixed. */
const aloneShare = 0.34;
const doubtShare = 0.54;
const warmUpMsMax = 8_000;
/** A kill in doubt for so many seconds of the run. */
const secondsPerKillInDoubt = 10;
const restBetweenMs = 400;
/** What it takes to begin and to end a fault, on average: much where a daemon or a server starts, nothing else. */
const changeMs = 800;
const doubtPauseMs = [200, 800] as const;
const togetherMax = 3;

/** As long as it would, if there is time for the least of all that are left (it is the first of them); else as short. */
export function shareOf(lengthMs: number, left: readonly Pick<Fault, 'lastsMs'>[], leftMs: number): number {
  const [shortest = 0] = left[0]?.lastsMs ?? [];
  const leastMs = left.reduce((sum, { lastsMs: [min] }) => sum + min + restBetweenMs + changeMs, 0);
  const moreMs = left.reduce((sum, { lastsMs: [min, max] }) => sum + (max - min) / 2, 0);
  const spareMs = Math.max(0, leftMs - leastMs);
  return shortest + Math.min(spareMs, (lengthMs - shortest) * Math.min(1, spareMs / moreMs));
}

/** Breaks things, one after the other and several at once, until its time is over; then nothing is broken any more. */
export class Nemesis {
  private readonly faults: readonly Fault[];
  private readonly begun = new Map<string, number>();
  private readonly kills: KillInDoubt[] = [];
  private readonly endsAt: number;
  private readonly lengthMs: number;
  private on = 0;
  private mostOn = 0;

  constructor(private readonly options: NemesisOptions) {
    const { harness, only, seconds } = options;
    const possible = allFaults.filter((fault) => fault.needsRealKafka !== true || harness.broker.real !== null);
    this.faults = only.length === 0 ? possible : possible.filter(({ kind }) => only.includes(kind));
    this.lengthMs = seconds * 1_000;
    this.endsAt = performance.now() + this.lengthMs;
  }

  /** Resolves when its time is over and everything is mended. */
  async rage(): Promise<void> {
    const { only, say } = this.options;
    await delay(Math.min(warmUpMsMax, this.lengthMs / 10));
    if (only.length > 0) {
      while (this.leftMs() > 0) await this.eachAlone(this.leftMs());
      return;
    }
    say('each fault alone');
    await this.eachAlone(this.lengthMs * aloneShare);
    say(`daemons are killed in doubt`);
    await this.inDoubt(this.lengthMs * doubtShare);
    say('random mixes');
    await this.mixed();
  }

  report(): NemesisReport {
    return {
      begun: Object.fromEntries([...this.begun].toSorted()),
      notReached: this.faults.map(({ kind }) => kind).filter((kind) => !this.begun.has(kind)),
      killsInDoubt: this.kills,
      togetherMax: this.mostOn,
    };
  }

  private leftMs(): number {
    return this.endsAt - performance.now();
  }

  /** In a short run some find no time: which ones, the seed decides. Those that must come first do. */
  private async eachAlone(budgetMs: number): Promise<void> {
    const { chance } = this.options;
    const first = this.faults.filter(({ isAloneOnly }) => isAloneOnly);
    const others = chance.shuffled(this.faults.filter(({ isAloneOnly }) => !isAloneOnly));
    const until = performance.now() + budgetMs;
    const all = [...first, ...others];
    for (const [index, fault] of all.entries()) {
      const lengthMs = shareOf(chance.between(...fault.lastsMs), all.slice(index), until - performance.now());
      if (performance.now() + lengthMs > until) continue;
      await this.once(fault, lengthMs);
      await delay(restBetweenMs);
    }
  }

  private async inDoubt(budgetMs: number): Promise<void> {
    const { harness, chance, seconds } = this.options;
    const wanted = Math.ceil(seconds / secondsPerKillInDoubt);
    const until = performance.now() + budgetMs;
    while (this.kills.length < wanted && performance.now() < until) {
      await this.killOnce();
      await delay(chance.between(...doubtPauseMs));
      if (!harness.posts.some(({ slot }) => slot.isReady)) await delay(doubtPauseMs[0]);
    }
  }

  private async killOnce(): Promise<void> {
    const { harness, chance, say } = this.options;
    const kill = await killInDoubt(harness, chance);
    if (kill === null) return;
    this.kills.push(kill);
    if (this.kills.length % 10 === 0) say(`${this.kills.length} daemons killed in doubt`);
  }

  private async mixed(): Promise<void> {
    const { chance } = this.options;
    const mixable = this.faults.filter(({ isAloneOnly }) => !isAloneOnly);
    // Whoever found no time alone comes first.
    const unbegun = mixable.filter(({ kind }) => !this.begun.has(kind));
    const deck = new Deck(mixable, { chance: chance.fork('deck'), first: unbegun });
    const lines = Array.from({ length: togetherMax }, (_, index) => this.line(deck, chance.fork(`line ${index}`)));
    await Promise.all([...lines, this.doubtLine(chance.fork('doubt'))]);
  }

  private readonly taken = new Set<string>();

  /** One fault after the other; several lines run at once. */
  private async line(deck: Deck<Fault>, chance: Chance): Promise<void> {
    while (this.leftMs() > 0) {
      const fault = deck.deal(({ seat, lastsMs }) => !this.taken.has(seat) && lastsMs[0] < this.leftMs());
      if (fault !== null) {
        this.taken.add(fault.seat);
        await this.once(fault, Math.min(this.leftMs(), chance.between(...fault.lastsMs)), chance);
        this.taken.delete(fault.seat);
      }
      await delay(Math.max(0, Math.min(this.leftMs(), chance.between(0, 4 * restBetweenMs))));
    }
  }

  private async doubtLine(chance: Chance): Promise<void> {
    while (this.leftMs() > 5_000) {
      await delay(chance.between(3_000, 9_000));
      if (this.taken.has('daemons')) continue;
      this.taken.add('daemons');
      await this.killOnce();
      this.taken.delete('daemons');
    }
  }

  private async once(fault: Fault, lengthMs: number, chance: Chance = this.options.chance): Promise<void> {
    this.begun.set(fault.kind, (this.begun.get(fault.kind) ?? 0) + 1);
    this.on += 1;
    this.mostOn = Math.max(this.mostOn, this.on);
    let heal: Heal | null = null;
    try {
      heal = await fault.begin(this.options.harness, chance);
      await delay(lengthMs);
    } finally {
      await heal?.();
      this.on -= 1;
    }
  }
}
