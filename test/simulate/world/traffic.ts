import type { ProgramsFile } from '#contracts';
import type { CloudEvent, Content, OtherRequest, OtherTerms, Sent } from '#shop';
import { Chance, encode, eventsOf, nameOf, otherRequest, OtherSystems, Shop, simulationDials, whatOf } from '#shop';

import { describeRecord } from '../../checker/index.js';
import type { ProducedRecord, RecordFacts } from '../kafka/broker.js';
import type { ProgramSketch, Scenario } from './scenario.js';
import { marketTopic, onceReward } from './scenario.js';

export const topics = {
  members: 'loyalty.members',
  purchases: 'loyalty.purchases',
  rewards: 'loyalty.rewards',
} as const;

/** What a producer sends at one time. */
export interface Emission {
  /** Ms from the world's beginning. */
  readonly at: number;
  readonly record: ProducedRecord;
  /** What another system does at the partner just before. */
  readonly other: OtherRequest | null;
}

/** Of the members, where some shop at markets. */
const marketShare = 0.5;
/** Producers are done when this share of the troubled time is over. */
const tradingShare = 0.9;

/** What a world's shop sends, in order of time: some buy before they enrol, some never enrol, some are refused. */
export function drawTraffic(scenario: Scenario, programs: ProgramsFile): Emission[] {
  const chance = new Chance(scenario.seed).fork('traffic');
  const spanMs = scenario.troubledMs * tradingShare;
  const times = Array.from({ length: scenario.events }, () => chance.unit() * spanMs).sort((one, other) => one - other);
  const shop = shopOf(scenario, { chance, spanMs });
  const others = new OtherSystems(chance.fork('others'), simulationDials(spanMs));
  const emissions: Emission[] = [];
  const emit = (sent: Sent | null, at: number): void => {
    if (sent === null) return;
    const now = scenario.startsAt + at;
    const call = others.before(sent);
    const sketch = scenario.programs.find(({ name }) => name === call?.program);
    const other = call === null || sketch === undefined ? null : otherRequest(call, otherTerms(sketch), now);
    emissions.push({ at, record: recordOf(sent, { at: now, programs }), other });
    for (const { sent: told, afterMs } of scenario.trade?.besides?.(sent) ?? []) {
      const record = recordOf(told, { at: now + afterMs, programs });
      emissions.push({ at: at + afterMs, record, other: null });
    }
  };
  for (const at of times) {
    // What is put off counts, too: there are as many records as the scenario says.
    if (emissions.length + shop.heldBack < scenario.events) emit(shop.next(scenario.startsAt + at), at);
    else emit(shop.nextHeld(scenario.startsAt + at), at);
  }
  return emissions;
}

/** As the programs file has it (`scenario.ts`). */
function otherTerms({ programId, viaWorkflow, hasReceipts, restartsReceipts }: ProgramSketch): OtherTerms {
  return {
    brandId: '101',
    programId,
    transactionTypeId: hasReceipts ? '31' : '33',
    attributesOf: (number, takes): Record<string, string> => {
      if (!hasReceipts) return {};
      const taken = restartsReceipts ? `${takes?.storeId ?? ''}-${takes?.purchaseId ?? ''}` : (takes?.purchaseId ?? '');
      return { receipt: takes === null ? number : taken };
    },
    rewardId: '9001',
    updateWorkflowId: '78',
    issueWorkflowId: viaWorkflow ? '77' : null,
  };
}

function shopOf(scenario: Scenario, { chance, spanMs }: { readonly chance: Chance; readonly spanMs: number }): Shop {
  const usual = simulationDials(spanMs);
  const membersMax = scenario.programs.length * scenario.membersPerProgram;
  // Nothing about an erased member is told: a listener could not know what it should have heard.
  const { often: turned, ...dials } = scenario.trade?.dials ?? {};
  const hasMarkets = scenario.programs.some(({ market }) => market !== undefined);
  const often = {
    ...usual.often,
    ...(scenario.publishesOutcomes && { erases: 0 }),
    ...(hasMarkets && { exchanges: 6, errsAtMarkets: 3 }),
    ...turned,
  };
  return new Shop({
    chance,
    dials: {
      ...usual,
      ...(hasMarkets && { markets: marketShare }),
      ...dials,
      often,
      membersFirst: membersMax,
      membersMax,
    },
    programs: scenario.programs.map(({ name, restartsReceipts, givesOnce = false }) => ({
      ...{ name, share: 1, restartsReceipts },
      rewards: ['free-coffee', ...(givesOnce ? [onceReward] : [])],
      ...(givesOnce && { once: onceReward }),
    })),
  });
}

function recordOf(sent: Sent, now: { readonly at: number; readonly programs: ProgramsFile }): ProducedRecord {
  const { topic, key, content } = sent;
  const id = eventsOf(content)[0]?.id ?? '';
  return {
    topic: content.kind === 'receipt' ? marketTopic : topics[topic],
    key,
    ...encodedOf(content),
    label: `${whatOf(sent)} ${id}`,
    facts: factsOf(sent, now),
  };
}

function encodedOf(content: Content): Pick<ProducedRecord, 'value' | 'headers'> {
  const { value, headers } = encode(content, 'structured');
  return {
    value,
    headers: Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, Buffer.from(text)])),
  };
}

/** Of a receipt by what its till means: never by the map that reads it. */
function factsOf(
  sent: Sent,
  { at, programs }: { readonly at: number; readonly programs: ProgramsFile },
): readonly RecordFacts[] {
  const { content, fate, name } = sent;
  const described = (said: Content): Omit<RecordFacts, 'owes'> => {
    return describeRecord({ ...encodedOf(said), at }, programs);
  };
  if (content.kind !== 'receipt') return [{ ...described(content), owes: owesOf({ fate, name }) }];
  const asEvent = (event: CloudEvent): Content => ({ kind: 'event', event });
  if (content.meant.length === 0) return [{ ...ofNobody, owes: owesOf({ fate, name }) }];
  return content.meant.map((event) => ({ ...described(asEvent(event)), owes: owesOf({ fate, name: nameOf(event) }) }));
}

const ofNobody = { program: null, memberId: null, eventKey: null, businessKey: null } as const;

/** What always asks for a call, in these worlds' programs: unlike updates, which may be stale or not mapped. */
const calls = ['member.enrolled', 'purchase.completed', 'purchase.refunded', 'reward.granted'];

/** As the shop knows it, not as the product's routing reads it. */
function owesOf({ fate, name }: Pick<Sent, 'fate' | 'name'>): RecordFacts['owes'] {
  if (fate === 'nothing') return 'nothing';
  if (typeof fate === 'object') return 'quarantine';
  return fate !== 'open' && calls.includes(name ?? '') ? 'intent' : 'anything';
}
