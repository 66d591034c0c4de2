import { setTimeout as delay } from 'node:timers/promises';

import type { Chance } from '../chance.js';
import type { ChaosHouse, Post } from '../installation/chaos-house.js';
import type { Link } from '../proxy/link.js';
import { processPorts } from '../proxy/process-ports.js';
import { commitThenDrop } from './partner-faults.js';

/** A daemon killed while it waited for calls that had taken effect, or were about to. */
export interface KillInDoubt {
  /** Calls whose answer or whose broken connection it never saw. */
  readonly calls: number;
  /** Of these: the partner broke the connection after, or long before, the effect. */
  readonly dropped: number;
}

const changing = /^POST \/brands\/[^ ]*\/(?:issue-wallet|wallet-passes|wallet-pass|transactions)\b/;
const lookEveryMs = 20;
const holdMsMax = 1_500;
const callsWanted = [1, 6] as const;

async function linksOf(house: ChaosHouse, { slot }: Post): Promise<Link[]> {
  const ports = slot.pid === null ? new Set<number>() : await processPorts(slot.pid);
  // Without /proc it cannot be told whose a connection is: then everybody's answers are held.
  return house.partner.links.filter(({ clientPort }) => ports === null || ports.has(clientPort));
}

function inDoubt(links: readonly Link[]): KillInDoubt {
  const calls = links.flatMap(({ withheldCall }) => withheldCall ?? []).filter(({ request }) => changing.test(request));
  // A refusal leaves nothing in doubt. A connection that just ended was dropped after the effect, or before a late one.
  const done = calls.filter(({ head, isEnded }) => (head === '' ? isEnded : head.startsWith('HTTP/1.1 2')));
  return { calls: done.length, dropped: done.filter(({ head }) => head === '').length };
}

async function busiest(house: ChaosHouse, chance: Chance): Promise<Post | null> {
  const ready = chance.shuffled(house.posts.filter(({ slot }) => slot.isReady));
  for (const post of ready) {
    const links = await linksOf(house, post);
    if (links.some(({ isBusy, lastRequest }) => isBusy && changing.test(lastRequest))) return post;
  }
  return null;
}

/**
 * Waits for a daemon that is at work, lets its calls take effect while it hears nothing more, and kills it.
 * @returns null when none was at work, or nothing came to be in doubt: then it lives on
 */
export async function killInDoubt(house: ChaosHouse, chance: Chance): Promise<KillInDoubt | null> {
  const post = await busiest(house, chance);
  if (post === null) return null;
  const heal = await house.wallet.misbehave(commitThenDrop);
  try {
    const wanted = chance.between(...callsWanted);
    let found: KillInDoubt = { calls: 0, dropped: 0 };
    for (let heldMs = 0; heldMs < holdMsMax && found.calls < wanted; heldMs += lookEveryMs) {
      const links = await linksOf(house, post);
      for (const link of links) link.holdAnswers();
      found = inDoubt(links);
      await delay(lookEveryMs);
    }
    const links = await linksOf(house, post);
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
