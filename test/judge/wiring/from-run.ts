import type { Kafka } from 'kafkajs';
import { parse } from 'yaml';

import { otherSystems } from '#shop';
import { queryOnce } from '#test-support';

import { readTopics } from '../../checker/reading/read-topics.js';
import type {
  Case,
  JsonObject,
  LedgerEntry,
  ListEntry,
  OperatorAct,
  Partner,
  PartnerPass,
  ProgramsFile,
  SourceRecord,
} from '../case.js';
import type { ActRow, ListRow } from './from-tables.js';
import { actsStatement, listEntries, listsStatement, operatorActs } from './from-tables.js';

/** Where a run of real processes is read from, once it is at rest. */
export interface RunSources {
  readonly kafka: Kafka;
  /** Outcomes: null where nobody publishes them. */
  readonly topics: { readonly sources: readonly string[]; readonly outcomes: string | null };
  /** Read for the lists that a person can see, and for what people did. */
  readonly databaseUrl: string;
  /** The sandbox's own. */
  readonly partnerDatabaseUrl: string;
  /** Text of the programs file. */
  readonly programs: string;
  readonly known?: KnownOfRun;
}

/** How far a partition had been consumed at some time, as its consumer group tells. */
interface OffsetSample {
  readonly takenAt: number;
  readonly topic: string;
  readonly partition: number;
  readonly nextOffset: number;
}

/** What only whoever let it run knows. */
export interface KnownOfRun {
  /** What the audit does not show of what people did: the content of corrections. */
  readonly operators?: readonly OperatorAct[];
  readonly offsets?: readonly OffsetSample[];
  readonly hasReloaded?: boolean;
  readonly breaksUniqueness?: boolean;
  /** Passes that were there before, or were made past the interface. */
  readonly otherPasses?: readonly string[];
}

/** What a run of real processes looks like from outside. */
export async function caseOfRun(sources: RunSources): Promise<Case> {
  const { kafka, topics, databaseUrl, partnerDatabaseUrl, programs, known = {} } = sources;
  const { hasReloaded } = known;
  return {
    records: await readRecords(kafka, topics.sources, known.offsets ?? []),
    programs: parse(programs) as ProgramsFile,
    ...(hasReloaded === undefined ? {} : { hasReloaded }),
    operators: withContents(await readActs(databaseUrl), known.operators ?? []),
    partner: await readPartner(partnerDatabaseUrl, known),
    lists: await readLists(databaseUrl),
    ...(topics.outcomes === null ? {} : { outcomes: await readOutcomes(kafka, topics.outcomes) }),
  };
}

/**
 * In the order of their acknowledgement: of one partition as they lie there, of several by the time that they carry. A
 * clock that goes back does not put a record before those that lie before it.
 */
async function readRecords(
  kafka: Kafka,
  topics: readonly string[],
  offsets: readonly OffsetSample[],
): Promise<SourceRecord[]> {
  const reads = Map.groupBy(offsets, ({ topic, partition }) => `${topic}/${partition}`);
  const readers = new Map([...reads].map(([name, samples]) => [name, readTimes(samples)]));
  const latest = new Map<string, number>();
  const records: { readonly at: number; readonly record: SourceRecord }[] = [];
  await readTopics(kafka, topics, ({ topic, partition, offset, message: { key, value, headers, timestamp } }) => {
    const name = `${topic}/${partition}`;
    const at = Math.max(Number(timestamp), latest.get(name) ?? 0);
    latest.set(name, at);
    const readByMs = readers.get(name)?.(offset);
    const record: SourceRecord = {
      place: `${name}/${offset}`,
      key: key?.toString('utf8') ?? null,
      headers: Object.fromEntries(Object.entries(headers ?? {}).map(([header, text]) => [header, String(text)])),
      value: value?.toString('utf8') ?? null,
      sentAtMs: Number(timestamp),
      ...(readByMs === undefined ? {} : { readByMs }),
    };
    records.push({ at, record });
  });
  return records.sort((a, b) => a.at - b.at).map(({ record }) => record);
}

/** Asked in the order of offsets: when a sample first showed that this one had been read. */
function readTimes(samples: readonly OffsetSample[]): (offset: number) => number | undefined {
  const sorted = samples.toSorted((a, b) => a.takenAt - b.takenAt);
  let index = 0;
  return (offset) => {
    while (index < sorted.length && (sorted[index]?.nextOffset ?? 0) <= offset) index += 1;
    return sorted[index]?.takenAt;
  };
}

async function readOutcomes(kafka: Kafka, topic: string): Promise<JsonObject[]> {
  const outcomes: JsonObject[] = [];
  await readTopics(kafka, [topic], ({ message: { value } }) => {
    outcomes.push(JSON.parse(String(value)) as JsonObject);
  });
  return outcomes;
}

async function readLists(databaseUrl: string): Promise<ListEntry[]> {
  const rows = await queryOnce<ListRow>(databaseUrl, listsStatement.text);
  return listEntries(rows);
}

async function readActs(databaseUrl: string): Promise<OperatorAct[]> {
  const rows = await queryOnce<ActRow>(databaseUrl, actsStatement.text);
  return operatorActs(rows);
}

/** The audit says that somebody corrected, and when; whoever did it says how. */
function withContents(audited: readonly OperatorAct[], told: readonly OperatorAct[]): OperatorAct[] {
  const timed = told.map((act) => {
    const entry = audited.findLast((one) => one.act === act.act && one.place === act.place);
    return { ...entry, ...act };
  });
  return [...audited, ...timed];
}

interface PassRow extends Omit<PartnerPass, 'person' | 'passdata'> {
  readonly passdata: string;
  readonly person: string | null;
}

interface EntryRow extends Omit<LedgerEntry, 'body'> {
  readonly body: string | null;
}

/** What a float would change (an id of twenty digits) stays the text it was written with. */
function exactJson(text: string): JsonObject {
  const keepLong = (_key: string, value: unknown, context?: { readonly source?: string }): unknown =>
    typeof value === 'number' && (context?.source?.length ?? 0) > 15 ? context?.source : value;
  return JSON.parse(text, keepLong) as JsonObject;
}

/** The person of a cardholder with passes in several programs is none of a single program's: it is not shown. */
const passesText = `
SELECT p.brand_id AS "brandId", p.program_id AS "programId", p.pass_id::text AS "passId", p.serial_number AS "serialNumber",
  p.passdata::text AS passdata, p.template_id::text AS "templateId", p.template_tier_id::text AS "templateTierId", p.group_id AS "groupId",
  p.current_message AS "currentMessage", p.sms_subscription AS "smsSubscription", h.attributes::text AS person
FROM wallet_sandbox.pass p LEFT JOIN (
  SELECT person_id FROM wallet_sandbox.pass GROUP BY person_id HAVING count(DISTINCT program_id) = 1) alone USING (person_id)
LEFT JOIN wallet_sandbox.person h ON h.person_id = alone.person_id ORDER BY p.pass_id`;

const ledgerText = `
SELECT seq::float8 AS seq, operation, brand_id AS "brandId", COALESCE(program_id, '') AS "programId", pass_id::text AS "passId",
  target_id AS "targetId", request_id AS "requestId", (extract(epoch FROM arrived_at) * 1000)::float8 AS "arrivedAtMs",
  (extract(epoch FROM applied_at) * 1000)::float8 AS "appliedAtMs", body::text AS body
FROM wallet_sandbox.ledger ORDER BY seq`;

const isOthers = ({ requestId }: LedgerEntry): boolean => requestId?.startsWith(otherSystems) === true;

/** What a pass begins with has made it: a workflow that updates issues one where there is none (partner-api.md 4.3). */
function passesOfOthers(ledger: readonly LedgerEntry[]): string[] {
  const firsts = Map.groupBy(ledger, ({ passId }) => passId);
  return [...firsts].flatMap(([passId, [first]]) => (passId !== null && first && isOthers(first) ? [passId] : []));
}

async function readPartner(url: string, { breaksUniqueness = false, otherPasses = [] }: KnownOfRun): Promise<Partner> {
  const passes = await queryOnce<PassRow>(url, passesText);
  const rows = await queryOnce<EntryRow>(url, ledgerText);
  const ledger = rows.map(({ body, ...entry }) => ({
    ...entry,
    body: body === null ? null : exactJson(body),
  })) as LedgerEntry[];
  const others = ledger.filter(isOthers);
  const issued = passesOfOthers(ledger);
  return {
    passes: passes.map(({ person, passdata, ...pass }) => ({
      ...pass,
      passdata: exactJson(passdata),
      ...(person === null ? {} : { person: exactJson(person) }),
    })),
    ledger,
    others: others.map(({ seq }) => seq),
    otherPasses: [...otherPasses, ...issued],
    breaksUniqueness,
  };
}
