import type { RevisedCommand } from '#intents';
import { IntentActionRepository } from '#intents';
import type { IdentityPlace, PartnerCommand, TransactionCommand } from '#intents/core';
import { commandOfAmount } from '#intents/core';
import type { Database, SqlStatement } from '#platform';
import type { Chance } from '#shop';

import type { OperatorClient } from './clients.js';
import type { WorldContext } from './context.js';

/** What somebody said is to be sent instead of what an event tells; whether it was granted, the audit shows. */
export interface Said {
  /** `TOPIC/PARTITION/OFFSET` of the event. */
  readonly place: string;
  /** As in the audit. */
  readonly atMs: number;
  /** What the event should have said, on top of what it says, or was corrected to. */
  readonly patch: object;
}

interface UnsentRow extends IdentityPlace {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly isParked: boolean;
}

/** Transactions of which nothing is known to stand at the partner; a correction of what is in doubt is refused. */
const unsentStatement: SqlStatement = {
  name: 'sim_unsent_transactions',
  text: `
SELECT i.lane_id AS "laneId", i.seq, i.topic, i.partition, i.kafka_offset AS offset,
  COALESCE(s.status = 'parked', false) AS "isParked"
FROM intent i LEFT JOIN intent_standing s USING (lane_id, seq)
WHERE i.operation = 'transaction' AND COALESCE(s.status NOT IN ('cancelled', 'delivered'), true) AND NOT EXISTS (
  SELECT FROM intent_history h WHERE h.lane_id = i.lane_id AND h.seq = i.seq AND h.type IN ('AttemptApplied', 'VerifiedApplied'))
ORDER BY 1, 2`,
};

interface Money {
  readonly minor: number;
  readonly digits: number;
}

/** What a producer has said may be something else: a person took it in with a sum of their own. */
const isMoney = (total: Money | undefined): total is Money =>
  Number.isSafeInteger(total?.minor) && Number.isSafeInteger(total?.digits);

interface ReceiptData {
  readonly purchaseId: string;
  readonly total?: Money;
  /** Of a correction, which says how much by two totals. */
  readonly previousTotal?: Money;
}

const otherStore = 'zurich';
const replaysParked = 0.5;
const movesStore = 0.3;
const raises = 0.4;
/** To a third of it at least, and to a third more at most. */
const stepMax = 1 / 3;

/** A person who corrects what was told: of what amount a transaction is, or where. What had parked is sent then, or left to others. */
export class Corrector {
  readonly said: Said[] = [];
  private readonly chance: Chance;

  constructor(
    private readonly around: WorldContext,
    private readonly operator: OperatorClient,
  ) {
    this.chance = around.chance.fork('corrects by hand');
  }

  /** Some transaction that has not left, where there is one. */
  correct(): void {
    this.operator.act('corrects', async (database, now) => {
      const row = this.chance.pickAny((await database.execute<UnsentRow>(unsentStatement)).rows);
      const data = row && this.dataOf(row);
      if (row && data && isMoney(data.total) && data.previousTotal === undefined) {
        await this.say(database, { row, anew: this.anew(data, data.total), now });
      }
    });
  }

  private async say(database: Database, { row, anew, now }: Saying): Promise<void> {
    const { laneId, seq, topic, partition, offset } = row;
    const place = { laneId, seq };
    this.said.push({ place: `${topic}/${partition}/${offset}`, atMs: now, patch: anew.patch });
    const audit = { at: now, actor: 'sim', address: null, reason: 'the till was wrong' };
    const actions = new IntentActionRepository(database, this.operator.keys);
    const revise = (current: PartnerCommand | null): RevisedCommand => {
      if (current?.operation !== 'transaction') throw new Error('nothing else is corrected');
      return { command: anew.revise(current), changed: anew.changed, privileged: anew.changed };
    };
    const { kind } = await actions.correct({ place, revise, audit });
    if (kind === 'done' && row.isParked && this.chance.happens(replaysParked)) {
      await actions.act({ place, action: { kind: 'replay' }, audit });
    }
  }

  /** What its producer had said. */
  private dataOf({ topic, partition, offset }: UnsentRow): ReceiptData | null {
    const value = this.around.broker.logOf(topic, partition)?.records.get(offset)?.value ?? null;
    if (value === null) return null;
    return (JSON.parse(Buffer.from(value).toString('utf8')) as { readonly data: ReceiptData }).data;
  }

  private anew({ purchaseId }: ReceiptData, total: Money): Anew {
    if (this.chance.happens(movesStore)) return inOtherStore(purchaseId);
    const by = this.chance.between(1, Math.max(1, Math.floor(total.minor * stepMax)));
    const minor = Math.max(1, total.minor + (this.chance.happens(raises) ? by : -by));
    const said = { ...total, minor };
    return {
      patch: { total: said },
      changed: ['amount'],
      revise: (current) => commandOfAmount(current, textOf(said)),
    };
  }
}

interface Anew extends Pick<Said, 'patch'> {
  readonly changed: readonly string[];
  readonly revise: (current: TransactionCommand) => TransactionCommand;
}

interface Saying {
  readonly row: UnsentRow;
  readonly anew: Anew;
  readonly now: number;
}

/** Only of what carries its store and its number apart: else it would be another receipt. */
function inOtherStore(purchaseId: string): Anew {
  return {
    patch: { storeId: otherStore },
    changed: ['attributes.store'],
    revise: (current) => {
      const { store, receipt } = current.attributes;
      if (store === undefined || receipt !== purchaseId) throw new Error('its store names it, or is not sent');
      return { ...current, attributes: { ...current.attributes, store: otherStore } };
    },
  };
}

function textOf({ minor, digits }: Money): string {
  const text = String(minor).padStart(digits + 1, '0');
  return `${text.slice(0, -digits)}.${text.slice(-digits)}`;
}
