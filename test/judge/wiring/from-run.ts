import { parse } from 'yaml';

import { isOthers } from '#shop';

import type { LedgerRow, PassRow } from '../../reading/partner.js';
import { passesMadeByOthers } from '../../reading/partner.js';
import type { Run } from '../../reading/run.js';
import type { TopicRecord } from '../../reading/topics.js';
import type {
  Case,
  JsonObject,
  LedgerEntry,
  OperatorAct,
  Partner,
  PartnerPass,
  ProgramsFile,
  SourceRecord,
} from '../case.js';
import { listEntries, operatorActs } from './from-tables.js';

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

/** What a run of real processes looks like from outside. @param programs text of the programs file */
export function caseOfRun(run: Run, programs: string, known: KnownOfRun = {}): Case {
  const { hasReloaded } = known;
  return {
    records: sourceRecords(run.records, known.offsets ?? []),
    programs: parse(programs) as ProgramsFile,
    ...(hasReloaded === undefined ? {} : { hasReloaded }),
    operators: withContents(operatorActs(run.acts), known.operators ?? []),
    partner: partnerOf(run, known),
    lists: listEntries(run.lists),
    ...(run.outcomes === null ? {} : { outcomes: run.outcomes.map(outcomeOf) }),
  };
}

/**
 * In the order of their acknowledgement: of one partition as they lie there, of several by the time that they carry. A
 * clock that goes back does not put a record before those that lie before it.
 */
function sourceRecords(raw: readonly TopicRecord[], offsets: readonly OffsetSample[]): SourceRecord[] {
  const reads = Map.groupBy(offsets, ({ topic, partition }) => `${topic}/${partition}`);
  const readers = new Map([...reads].map(([name, samples]) => [name, readTimes(samples)]));
  const latest = new Map<string, number>();
  const records = raw.map(({ topic, partition, offset, message: { key, value, headers, timestamp } }) => {
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
    return { at, record };
  });
  return records.sort((a, b) => a.at - b.at).map(({ record }) => record);
}

/** Asked in the order of offsets: when a sample first showed that this one had been read. */
export function readTimes(samples: readonly OffsetSample[]): (offset: number) => number | undefined {
  const sorted = samples.toSorted((a, b) => a.takenAt - b.takenAt);
  let index = 0;
  return (offset) => {
    while (index < sorted.length && (sorted[index]?.nextOffset ?? 0) <= offset) index += 1;
    return sorted[index]?.takenAt;
  };
}

const outcomeOf = ({ message: { value } }: TopicRecord): JsonObject => JSON.parse(String(value)) as JsonObject;

/** The audit says that somebody corrected, and when; whoever did it says how. */
function withContents(audited: readonly OperatorAct[], told: readonly OperatorAct[]): OperatorAct[] {
  const timed = told.map((act) => {
    const entry = audited.findLast((one) => one.act === act.act && one.place === act.place);
    return { ...entry, ...act };
  });
  return [...audited, ...timed];
}

function partnerOf({ ledger, passes }: Run, { breaksUniqueness = false, otherPasses = [] }: KnownOfRun): Partner {
  return {
    passes: passes.map(passOf),
    ledger: ledger.map(entryOf),
    others: ledger.filter(isOthers).map(({ seq }) => seq),
    otherPasses: [...otherPasses, ...passesMadeByOthers(ledger).flatMap(({ passId }) => passId ?? [])],
    breaksUniqueness,
  };
}

function entryOf({ uniqueId: _uniqueId, key: _key, body, ...entry }: LedgerRow): LedgerEntry {
  return { ...entry, body: body as JsonObject | null };
}

function passOf({ person, passdata, ...pass }: PassRow): PartnerPass {
  const shown = person === null ? {} : { person: person as JsonObject };
  return { ...pass, passdata: passdata as JsonObject, ...shown };
}
