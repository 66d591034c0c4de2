import type { WalletPass } from '#contracts';
import type { Job, MatchedMember, PassToAdopt, SeenMember } from '#intents';
import { findLeft, matchMembers } from '#intents';

import type { ListedPass } from '../partner-reading/listed-row.js';
import { byMember, markOf } from '../partner-reading/listed-row.js';
import type { PartnerReaderTools } from '../partner-reading/partner-reader.js';
import type { Tally } from '../partner-reading/tally.js';

export interface ListedPage {
  readonly job: Job;
  readonly program: string;
  readonly listed: readonly ListedPass[];
  readonly tally: Tally;
}

/** A member of ours whose pass the page shows. */
export interface ShownMember {
  readonly member: MatchedMember & { readonly key: Uint8Array };
  readonly pass: WalletPass;
}

/** What a page is about, beside what is counted already. */
export interface MatchedPage {
  readonly seen: readonly SeenMember[];
  /** Their passes we know. */
  readonly known: readonly ShownMember[];
  /** Their passes we do not know, and nothing is under way that would tell. */
  readonly missingHere: readonly ShownMember[];
}

/** An enrolment that will tell of the pass, or is just finding out. */
const underWay: readonly string[] = ['waiting', 'pending', 'unknown'];

/** Holds a page of the partner's passes against our members. */
export async function matchPage({ database, keys }: PartnerReaderTools, page: ListedPage): Promise<MatchedPage> {
  const { program, listed, tally } = page;
  const { first, further } = byMember(listed);
  for (const { memberId, pass } of further) tally.found('duplicateThere', 'duplicate-there', lineOf(memberId, pass));
  const members = await matchMembers(database, { program, memberIds: [...first.keys()] }, keys);
  const left = await findLeft(database, program, members.values());
  tally.add('left', left.size);
  const shown: ShownMember[] = [];
  for (const [memberId, pass] of first) {
    const member = members.get(memberId);
    const key = member?.key ?? null;
    if (member === undefined) tally.found('unknownMember', 'unknown-member', lineOf(memberId, pass));
    else if (key !== null && !left.has(member.laneId)) shown.push({ member: { ...member, key }, pass });
  }
  const seen = [...members.values()].map(({ laneId, memberId }) => ({
    laneId,
    mark: markOf(first.get(memberId) ?? {}),
  }));
  return { seen, ...sortOut(shown, tally) };
}

function sortOut(shown: readonly ShownMember[], tally: Tally): Pick<MatchedPage, 'known' | 'missingHere'> {
  const known = shown.filter(({ member }) => member.pass === 'known');
  const others = shown.filter(({ member }) => member.pass !== 'known');
  const missingHere = others.filter(({ member }) => !underWay.includes(member.enrolment));
  tally.add('matched', known.length);
  tally.add('underWay', others.length - missingHere.length);
  return { known, missingHere };
}

export function lineOf(memberId: string, { passId }: WalletPass): Readonly<Record<string, unknown>> {
  return { memberId, passId: passId ?? null };
}

export function toAdopt({ member: { laneId, key }, pass }: ShownMember): PassToAdopt {
  return { laneId, key, pass };
}
