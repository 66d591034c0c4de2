import type { Told } from '../traffic/emission.js';

/**
 * A second opinion, made of nothing but what the tills know, what the partner's ledger holds and how each intent ended:
 * what was acknowledged must be there once, unless a person has to look or somebody cancelled it, and nothing else may be.
 */
export interface AuditReport {
  /** Enrolments, sales and returns that the broker acknowledged. */
  readonly owed: number;
  readonly found: number;
  /** Not there, and a person knows: parked, or cancelled. */
  readonly excused: Readonly<Record<string, number>>;
  /** Not there, and nobody knows. */
  readonly lost: readonly Told[];
  /** There more than once, by operation; what the partner itself did twice for one request is not ours. */
  readonly duplicates: Readonly<Record<string, number>>;
  readonly partnerTwice: number;
  /** Effects that nothing told explains: on that card, with that amount. */
  readonly foreign: readonly Entry[];
  readonly effects: number;
}

export interface Entry {
  readonly operation: string;
  readonly uniqueId: string | null;
  readonly key: string | null;
  readonly requestId: string;
  readonly amount: string | null;
}

/** What became of an intent that may have no effect. */
export interface End {
  readonly operation: string;
  readonly memberId: string;
  readonly minor: string | null;
  /** As `Told.purchase`. */
  readonly purchase: string | null;
  readonly isSale: boolean;
  /** Its last event that moved it; null: nothing has happened to it. */
  readonly type: string | null;
  readonly reason: string | null;
  /** The lane waits for a person. */
  readonly isBehind: boolean;
}

/** All that the audit looks at. */
export interface Books {
  readonly told: readonly Told[];
  readonly entries: readonly Entry[];
  readonly ends: readonly End[];
  /** Unique values that other systems took. */
  readonly taken: readonly string[];
  /** Members whose pass other systems made: by an update, too, where there was none (partner-api.md 4.3). */
  readonly issuedByOthers?: readonly string[];
}

/** Of a lane that waits for a person: not begun, waiting for something, or found and not begun. */
const waits = new Set([null, 'WaitingBegan', 'IntentReleased']);
/** Tills tell of none: the judge holds them against the records. */
const notJudged = new Set(['reward', 'update-via-workflow']);

/** Why it is not there, where a person can see it; null: it should be there. */
function endOf({ type, reason, isBehind }: End): string | null {
  if (type === 'IntentParked' || type === 'IntentCancelled') return reason === null ? type : `${type} ${reason}`;
  return isBehind && waits.has(type) ? 'behind what is parked' : null;
}

/** What an effect and that which asks for it have in common. */
function nameOf({ operation, memberId, key, minor }: Told): string {
  return operation === 'transaction' ? (key ?? `${memberId} ${minor ?? 0}`) : `${operation} ${memberId}`;
}

const minorOf = ({ amount }: Entry): number => Math.round(Number(amount) * 100);

function nameOfEntry(entry: Entry): string {
  const { operation, uniqueId, key } = entry;
  if (operation !== 'transaction') return `${operation} ${uniqueId ?? ''}`;
  return key ?? `${uniqueId ?? ''} ${minorOf(entry)}`;
}

/**
 * A sale by its receipt: its amount may be what is left of it. A return by whose it is, and by the receipt: with the card of somebody
 * else, and where nobody said where it was bought, it is the member's who has a receipt of that number.
 */
function endNames(one: Told | End): string[] {
  const { operation, memberId, purchase, minor } = one;
  if (operation !== 'transaction') return [`${operation} ${memberId}`];
  const isSale = 'thing' in one ? one.takesBack === null : one.isSale;
  if (isSale) return [`sale ${purchase ?? ''}`];
  return [`${memberId} ${minor ?? 0}`, `${purchase ?? ''} ${minor ?? 0}`];
}

function countBy<Item>(items: readonly Item[], name: (item: Item) => string): Record<string, number> {
  const groups = Map.groupBy(items, name);
  return Object.fromEntries([...groups].map(([key, group]) => [key, group.length]));
}

/** The same request applied again by the partner itself is one effect of ours. */
function onceEach(entries: readonly Entry[]): Entry[] {
  const seen = new Set<string>();
  return entries.filter(({ operation, requestId }) => {
    const name = `${operation} ${requestId}`;
    if (seen.has(name)) return false;
    seen.add(name);
    return true;
  });
}

/** Holds each effect against what was told, and keeps what is there of each thing. */
class Standing {
  readonly foreign: Entry[] = [];
  /** All that was told of a thing, by the thing. */
  readonly things: Map<string, Told[]>;
  private readonly byName: Map<string, Told[]>;
  private readonly effects = new Map<string, Entry[]>();

  constructor(
    told: readonly Told[],
    private readonly takenByOthers: ReadonlySet<string>,
  ) {
    this.things = Map.groupBy(told, ({ thing }) => thing);
    this.byName = Map.groupBy(told, nameOf);
  }

  /** Sales before what takes them back. What only one thing explains comes before what one of several may. */
  take(entries: readonly Entry[]): void {
    const [returns, others] = [entries.filter(isReturn), entries.filter((entry) => !isReturn(entry))];
    const choices = (entry: Entry): number => new Set(this.tellingsOf(entry).map(({ thing }) => thing)).size;
    for (const part of [others, returns]) {
      for (const entry of part.toSorted((one, other) => choices(one) - choices(other))) this.place(entry);
    }
  }

  effectsOf(thing: string): readonly Entry[] {
    return this.effects.get(thing) ?? [];
  }

  get twice(): Entry[] {
    return [...this.effects.values()].flatMap((group) => group.slice(1));
  }

  private tellingsOf(entry: Entry): readonly Told[] {
    return this.byName.get(nameOfEntry(entry)) ?? [];
  }

  private place(entry: Entry): void {
    const things = this.tellingsOf(entry).filter((telling) => this.explains(telling, entry));
    const free = things.find(({ thing }) => !this.effects.has(thing)) ?? things[0];
    if (free === undefined) this.foreign.push(entry);
    else this.effects.set(free.thing, [...this.effectsOf(free.thing), entry]);
  }

  private explains(telling: Told, entry: Entry): boolean {
    const { operation, memberId, minor, takesBack } = telling;
    if (operation !== entry.operation) return false;
    if (operation !== 'transaction') return memberId === entry.uniqueId;
    if (takesBack === null) return memberId === entry.uniqueId && minor === minorOf(entry);
    return minor === -minorOf(entry) && this.holdersOf(takesBack).includes(entry.uniqueId);
  }

  /** Whoever got the sale. Where it is not there: who would, if nothing waits for it, or the partner has another's receipt for it. */
  private holdersOf({ sale, isAfterIt }: NonNullable<Told['takesBack']>): (string | null)[] {
    const there = this.effectsOf(sale);
    if (there.length > 0) return there.map(({ uniqueId }) => uniqueId);
    const tellings = this.things.get(sale) ?? [];
    const isThere = ({ key }: Told): boolean => key !== null && this.takenByOthers.has(key);
    return tellings.filter((telling) => !isAfterIt || isThere(telling)).map(({ memberId }) => memberId);
  }
}

const isReturn = (entry: Entry): boolean => entry.operation === 'transaction' && minorOf(entry) < 0;

const isWithoutCard = ({ operation, memberId, takesBack }: Told): boolean =>
  operation === 'transaction' && memberId === '' && takesBack === null;

/** Why what was told has no effect, as far as a person can see it. */
class Excuses {
  private readonly ends: ReadonlyMap<string, string>;
  private readonly takenByOthers: ReadonlySet<string>;
  private readonly passesOfOthers: ReadonlySet<string>;
  /** Sales that were told without a card. */
  private readonly nobodys: ReadonlySet<string>;

  constructor({ told, ends, taken, issuedByOthers = [] }: Books) {
    this.takenByOthers = new Set(taken);
    this.passesOfOthers = new Set(issuedByOthers);
    this.nobodys = new Set(told.filter(isWithoutCard).map(({ thing }) => thing));
    this.ends = new Map(
      ends.flatMap((end): [string, string][] => {
        const text = endOf(end);
        return text === null ? [] : endNames(end).map((name) => [name, text]);
      }),
    );
  }

  of(tellings: readonly Told[]): string | undefined {
    return tellings.map((telling) => this.ofTelling(telling)).find((text) => text !== undefined);
  }

  private ofTelling(telling: Told): string | undefined {
    const { operation, memberId, key, takesBack } = telling;
    if (operation !== 'transaction' && this.passesOfOthers.has(memberId)) return "somebody else's pass";
    const end = endNames(telling)
      .map((name) => this.ends.get(name))
      .find((text) => text !== undefined);
    if (end !== undefined) return end;
    if (this.takenByOthers.has(key ?? '')) return "somebody else's receipt";
    return this.nobodys.has(takesBack?.sale ?? '') ? 'takes back what was sold without a card' : undefined;
  }
}

export function auditBooks(books: Books): AuditReport {
  const { told, entries, taken } = books;
  const ours = onceEach(entries);
  const standing = new Standing(told, new Set(taken));
  standing.take(ours.filter(({ operation }) => !notJudged.has(operation)));
  const excuses = new Excuses(books);
  const owed = [...standing.things].filter(([, tellings]) => tellings.some(({ isOwed }) => isOwed));
  const missing = owed.filter(([thing]) => standing.effectsOf(thing).length === 0).map(([, tellings]) => tellings);
  const lost = missing.filter((tellings) => excuses.of(tellings) === undefined);
  const excused = missing.flatMap((tellings) => excuses.of(tellings) ?? []);
  return {
    owed: owed.length,
    found: owed.length - missing.length,
    excused: countBy(excused, (text) => text),
    lost: lost.flatMap((tellings) => tellings.find(({ isOwed }) => isOwed) ?? []),
    duplicates: countBy(standing.twice, ({ operation }) => operation),
    partnerTwice: entries.length - ours.length,
    foreign: standing.foreign,
    effects: entries.length,
  };
}
