import { isOthers } from '#shop';

import type { HistorySources } from '../../simulate/verdict/commit-log.js';
import type { ProgramSketch } from '../../simulate/world/scenario.js';
import { programsText, retyped } from '../../simulate/world/scenario.js';
import type { WorldContext } from '../../simulate/world/context.js';
import type { Said } from '../../simulate/world/corrector.js';
import type { Case, JsonObject, LedgerEntry, OperatorAct, PartnerPass, ProgramsFile, SourceRecord } from '../case.js';
import { objectOf, textOf } from '../values.js';
import type { ActRow, ListRow } from '../../reading/tables.js';
import { actsStatement, listsStatement } from '../../reading/tables.js';
import { readTimes } from './from-run.js';
import { listEntries, operatorActs } from './from-tables.js';

/** Faults after which one place no longer names one record, or a producer's record is gone before anybody reads it. */
const confusing = ['topic-recreated', 'retention-gap'] as const;

/** A jump of a daemon's clock moves it by 1.5 s at most, and is noticed. */
const clocksWrongMs = 2_000;

/** What no table tells. */
interface KnownOfWorld {
  readonly told: readonly object[];
  readonly programs: readonly ProgramSketch[];
  readonly corrections: readonly Said[];
}

/** What a world that has come to rest looks like from outside; null where nobody outside could tell its records apart. */
export function caseOfWorld(
  sources: HistorySources,
  { told, programs: sketches, corrections }: KnownOfWorld,
): Case | null {
  const { engine, around, outcomes, names } = sources;
  const { scenario } = around;
  if (confusing.some((fault) => scenario.faults.includes(fault))) return null;
  const programs = JSON.parse(programsText(sketches)) as ProgramsFile;
  const { wallet } = around.partner;
  const records = recordsOf(sources);
  const acts = operatorActs(names.inRows(engine.run<ActRow>(actsStatement).rows));
  return {
    records,
    programs,
    hasReloaded: scenario.faults.includes('reload'),
    ...(scenario.faults.includes('reload') && { typesBefore: retyped }),
    ...(scenario.faults.includes('clock-jump') && { clocksWrongMs }),
    operators: withContents(acts, { records, corrections }),
    partner: {
      passes: wallet.presentPasses().map(passOf),
      ledger: wallet.ledger.map((entry, index): LedgerEntry => {
        const { passId = null, body = {} } = wallet.details[index] ?? {};
        return {
          seq: entry.seq,
          operation: entry.operation,
          brandId,
          programId: entry.program,
          passId: passId === null ? null : String(passId),
          targetId: entry.target,
          ...(entry.requestId === null ? {} : { requestId: entry.requestId }),
          arrivedAtMs: entry.arrivedAt,
          appliedAtMs: entry.appliedAt,
          body: body as JsonObject,
        };
      }),
      others: wallet.ledger.filter(isOthers).map(({ seq }) => seq),
      otherPasses: [...wallet.givenPassIds, ...passIdsOfOthers(wallet)].map(String),
      breaksUniqueness: !scenario.enforcesUniqueness,
    },
    lists: listEntries(names.inRows(engine.run<ListRow>(listsStatement).rows)),
    ...(outcomes === null ? {} : { outcomes: told as readonly JsonObject[] }),
  };
}

/** The audit tells which of them were granted, and not what they say: each on top of what was said before. */
function withContents(acts: readonly OperatorAct[], { records, corrections }: WhatWasSaid): OperatorAct[] {
  const data = new Map<string, JsonObject>();
  return acts.map((act) => {
    const { place = '', atMs } = act;
    const own = corrections.find((said) => act.act === 'correct' && said.place === place && said.atMs === atMs);
    if (own === undefined) return act;
    const before = data.get(place) ?? dataAt(place, records);
    data.set(place, { ...before, ...own.patch });
    return { ...act, data: data.get(place) ?? {} };
  });
}

function dataAt(place: string, records: readonly SourceRecord[]): JsonObject {
  const value = records.find((record) => record.place === place)?.value;
  return typeof value === 'string' ? objectOf((JSON.parse(value) as JsonObject)['data']) : {};
}

interface WhatWasSaid extends Pick<KnownOfWorld, 'corrections'> {
  readonly records: readonly SourceRecord[];
}

const brandId = '101';

/** What a pass begins with has made it: a workflow that updates issues one where there is none (partner-api.md 4.3). */
function passIdsOfOthers({ ledger, details }: WorldContext['partner']['wallet']): number[] {
  const firsts = new Map<number, (typeof ledger)[number]>();
  for (const [index, entry] of ledger.entries()) {
    const passId = details[index]?.passId ?? null;
    if (passId !== null && !firsts.has(passId)) firsts.set(passId, entry);
  }
  return [...firsts].flatMap(([passId, first]) => (isOthers(first) ? [passId] : []));
}

/** When a merge had been read decides whose the sales of another topic are. */
const isMerge = (value: string): boolean => value.includes('loyalty.member.merged.v1');

function recordsOf({ around, commits }: HistorySources): SourceRecord[] {
  const reads = Map.groupBy(commits.offsets, ({ topic, partition }) => `${topic}/${partition}`);
  const readers = new Map([...reads].map(([name, samples]) => [name, readTimes(samples)]));
  const stored = around.broker.all.flatMap((log) =>
    [...log.records.values()].map((record) => ({ ...record, partition: log.partition })),
  );
  return stored
    .sort((a, b) => a.brokerAt - b.brokerAt || a.offset - b.offset)
    .map(({ topic, partition, offset, key, headers: raw, value, brokerAt }) => {
      const named = Object.entries(raw).map(([name, bytes]) => [name, Buffer.from(bytes).toString('utf8')] as const);
      const headers = Object.fromEntries(named);
      const text = value === null ? null : Buffer.from(value).toString('utf8');
      const readByMs = isMerge(JSON.stringify([headers, text]))
        ? readers.get(`${topic}/${partition}`)?.(offset)
        : undefined;
      const read = readByMs === undefined ? {} : { readByMs };
      return { place: `${topic}/${partition}/${offset}`, key, headers, value: text, sentAtMs: brokerAt, ...read };
    });
}

function passOf({ program, pass }: { readonly program: string; readonly pass: object }): PartnerPass {
  const shown = pass as JsonObject;
  const idOf = (name: string): string | null => textOf(shown[name]) ?? null;
  return {
    brandId,
    programId: program,
    passId: idOf('passId') ?? '',
    serialNumber: idOf('serialNumber') ?? '',
    passdata: objectOf(shown['passdata']),
    templateId: idOf('templateId'),
    templateTierId: idOf('templateTierId'),
    currentMessage: idOf('currentMessage'),
    groupId: idOf('groupId'),
  };
}
