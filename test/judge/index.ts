/**
 * The retailer's judge. Given what the shop told the service and what the partner now holds, it says what a retailer
 * would call wrong.
 *
 * It imports nothing of ours: no library, no schema, no constant, no test helper. It is written from docs/contracts.md,
 * docs/producers.md and docs/partner-api.md alone, so that code, checker and traffic cannot agree with it on a mistake.
 * An import rule keeps it so; only `wiring/`, which collects what it is given, knows the rest.
 *
 * In ({@link Case}): the source records as their producers sent them, the programs file, what operators did, the
 * partner's passes and its ledger, the lists that a person can see (quarantine, and the intents that are not delivered,
 * each with its reason), and what was told to the shop. It never asks the service's tables what happened, except for
 * those lists.
 *
 * Out ({@link Verdict}): for each member
 * - is the pass as the newest enrolment and updates say (for each path the newest by `sequence` within a source, else
 *   by time; an explicit null clears), is there one, and only one;
 * - is each sale there once, with its amount to the digit, on its member, with its date and attributes; at most once
 *   when voided; never when voided before the purchase was told, or before its call was made;
 * - the same for refunds: negative, after their sale, and not where the sale was taken back;
 * - do points add up over the partner's own ledger, from what events set and rewards moved;
 * - is nothing there that happened after its member had left, or was told after they were erased;
 * - is each reward there once, and none that was revoked in time;
 * - does everything that is not there stand in a list, with a reason, and is that reason so;
 * - was anything told to the shop that is not so, or something not told.
 *
 * What nobody can know from outside is not guessed: where a list says that something is in doubt, both outcomes are
 * right. Assumptions about the partner and other systems that do not hold are counted apart ({@link Bucket}).
 */
import { type Case, type Verdict } from './case.js';
import { Evidence } from './evidence.js';
import { judgeLists } from './lists.js';
import { judgeMembers } from './members.js';
import { judgeOutcomes } from './outcomes.js';
import { judgePasses } from './passes.js';
import { readRecords } from './read-records.js';
import { asMeant, judgeWholes } from './receipts.js';
import { judgeRewards } from './rewards.js';
import { judgeTransactions } from './transactions.js';

/** The ledger as the present programs file calls it: what left by an earlier one is there, and must not be there again. */
function byTypesOfNow(given: Case): Case {
  const { typesBefore = {}, partner } = given;
  const ledger = partner.ledger.map((entry) =>
    entry.operation === 'transaction' && entry.targetId !== null && Object.hasOwn(typesBefore, entry.targetId)
      ? { ...entry, targetId: typesBefore[entry.targetId] ?? null }
      : entry,
  );
  return { ...given, partner: { ...partner, ledger } };
}

export function judge(asGiven: Case): Verdict {
  const given = asMeant(byTypesOfNow(asGiven));
  const evidence = new Evidence(given);
  const { events, byPlace } = readRecords(given, evidence);
  evidence.judged.records = asGiven.records.length;
  evidence.judged.events = events.length;
  const posted = new Map([...judgeTransactions(events, byPlace, evidence), ...judgeRewards(events, evidence)]);
  judgeMembers(events, posted, evidence);
  judgePasses(events, evidence);
  judgeLists(events, posted, evidence);
  judgeOutcomes(events, { byPlace, posted, evidence });
  judgeWholes(asGiven, evidence);
  return evidence.verdict();
}
