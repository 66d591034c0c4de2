import type { Program } from '#contracts';
import { differingPaths, expectedPass } from '#domain';
import type { PassFacts, SentHistory } from '#intents';
import { findKnownPasses, loadSentContents } from '#intents';

import type { PartnerReaderTools } from '../partner-reading/partner-reader.js';
import type { Tally } from '../partner-reading/tally.js';
import type { ShownMember } from './match-page.js';

export interface Comparison {
  readonly program: Program;
  readonly known: readonly ShownMember[];
  /** When the page was asked for, epoch ms. */
  readonly askedAt: number;
  readonly tally: Tally;
}

/**
 * Holds what the passes show against what was sent last. Only of members for whom nothing is under way and to whom
 * nothing has happened since `inFlightMs` before the page was asked for: the page may be older than what came after.
 */
export async function comparePage({ database, keys }: PartnerReaderTools, comparison: Comparison): Promise<void> {
  const { program, known, askedAt, tally } = comparison;
  const members = known.filter(({ member }) => member.isIdle).map(({ member }) => member);
  const histories = await loadSentContents(database, members, keys);
  const facts = await findKnownPasses(database, members, keys);
  for (const shown of known) {
    const { laneId, memberId } = shown.member;
    const history = histories.get(laneId) ?? null;
    if (!isCalm(shown, history, askedAt - program.inFlightMs)) {
      tally.add('inFlux');
      continue;
    }
    const paths = pathsOf(shown, history, facts.get(laneId) ?? null);
    if (paths.length > 0) tally.found('differing', 'differing', { memberId, paths });
  }
}

/** A member of whom nothing was ever sent is calm. */
function isCalm({ member }: ShownMember, history: SentHistory | null, until: number): boolean {
  return member.isIdle && (history === null || history.lastAt < until);
}

function pathsOf({ pass }: ShownMember, history: SentHistory | null, known: PassFacts | null): string[] {
  const paths = history === null ? [] : differingPaths(expectedPass(history.sent), pass);
  const serialNumber = known?.serialNumber ?? null;
  const isOther = serialNumber !== null && pass.serialNumber !== undefined && pass.serialNumber !== serialNumber;
  return isOther ? ['serialNumber', ...paths] : paths;
}
