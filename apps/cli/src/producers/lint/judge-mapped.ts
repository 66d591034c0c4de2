import type { ProgramsFile } from '#contracts';
import type { TopicSource } from '#events';
import { mapRecord } from '#events';
import { nobody, type PartnerCommand } from '#intents/core';

import type { NamedSource, SourceSample } from '../samples/read-records.js';
import type { Call, JudgeContext, Judgement } from './judge-sample.js';
import { judgeSample, nothing, refusal } from './judge-sample.js';

/** One event that a map has made. */
interface MadeEvent extends Pick<Judgement, 'verdict' | 'type' | 'reason' | 'detail' | 'causes' | 'calls'> {
  /** As a structured CloudEvent. */
  readonly event: unknown;
}

/** What the daemon would do with a record of a source. */
export interface MappedJudgement extends Judgement {
  readonly source: string;
  readonly events: readonly MadeEvent[];
}

type MappedSample = Pick<SourceSample, 'key' | 'headers' | 'value' | 'topic' | 'timestampMs'>;

/**
 * Judges a record by the format and the map of its source, and each event of it as one of ours: all of them, or none.
 * @throws {UnavailableError} while what is needed to read it is away
 */
export async function judgeMapped(
  sample: MappedSample,
  { name }: NamedSource,
  { authority, mapping }: TopicSource,
  context: JudgeContext,
): Promise<MappedJudgement> {
  const { headers, value, topic } = sample;
  const inTopic = { ...context, authority };
  const key = sample.key ?? undefined;
  if (mapping === null) {
    return { ...judgeSample({ value, headers, key, json: null }, inTopic), source: name, events: [] };
  }
  const record = { headers, value, topic: topic ?? '', key: key === undefined ? null : Buffer.from(key) };
  const mapped = await mapRecord({ ...record, brokerAt: sample.timestampMs ?? context.now }, mapping);
  if (mapped.kind === 'refused') return { ...refusal(mapped.reason, mapped.detail), source: name, events: [] };
  if (mapped.kind === 'ignored') {
    return { ...nothing, verdict: 'ignored', reason: mapped.reason, source: name, events: [] };
  }
  const judged = mapped.events.map((event) => ({
    event: JSON.parse(event.text) as unknown,
    judgement: judgeSample({ value: event.value, headers: event.headers, key, json: null }, inTopic),
  }));
  return { ...together(judged.map(({ judgement }) => judgement)), source: name, events: judged.map(madeEvent) };
}

function madeEvent({ event, judgement }: { readonly event: unknown; readonly judgement: Judgement }): MadeEvent {
  const { verdict, type, reason, detail, causes, calls = [] } = judgement;
  return { verdict, type, reason, detail, causes, calls, event };
}

/** What is refused of one is refused of all; what is ignored of all is ignored. */
function together(all: readonly Judgement[]): Judgement {
  const warnings = all.flatMap((each) => each.warnings);
  const type = all.length === 1 ? (all[0]?.type ?? null) : null;
  const refused = all.findIndex(({ verdict }) => verdict === 'refused');
  if (refused !== -1) return { ...refusalOf(all, refused), type, warnings };
  const isIgnored = all.every(({ verdict }) => verdict === 'ignored');
  if (isIgnored) return { ...nothing, verdict: 'ignored', type, reason: all[0]?.reason ?? null, warnings };
  const causes = all.flatMap((each) => each.causes);
  return { ...nothing, type, causes, calls: all.flatMap(({ calls = [] }) => calls), warnings };
}

function refusalOf(all: readonly Judgement[], at: number): Judgement {
  const { reason, detail } = all[at] ?? nothing;
  const which = all.length === 1 ? '' : `event ${at + 1} of ${all.length}: `;
  return refusal(reason ?? 'invalid', `${which}${detail ?? ''}`);
}

/** Says which request a command is, by the dialects of a programs file. */
export async function callsBy(
  programs: ProgramsFile,
  dialect: Readonly<Record<string, unknown>> | null,
  clock: () => number,
): Promise<(command: PartnerCommand) => Call> {
  const { DialectRegistry, previewRequest } = await import('#gateway');
  const dialects = new DialectRegistry({
    file: dialect,
    programs: Object.entries(programs.programs).map(([program, { brandId, programId, dialect: overrides }]) => ({
      ...{ program, brandId, programId, overrides },
    })),
  });
  return (command) => {
    const { operation, uniqueId } = command;
    if (uniqueId === nobody) return { operation, problems: ['of who got the sale, which its receipt tells'] };
    const preview = previewRequest(command, dialects, clock());
    if (preview.kind === 'refused') return { operation, problems: preview.problems };
    const { method, path, body } = preview.request;
    return { operation, method, path, body: body === null ? null : (JSON.parse(body) as unknown) };
  };
}
