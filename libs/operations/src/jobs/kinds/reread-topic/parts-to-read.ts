import type { StoredOffset } from '#intents';

import type { BrokersPartition, PartToRead } from './topic-reader.js';

/** A part of a partition, whose offsets mean what they meant when it was planned. */
export interface PlannedPart extends PartToRead {
  /** Of the topic: it rises when that is created anew. */
  readonly incarnation: number;
  /** Where it began. */
  readonly from: number;
}

/** What is read again, and how far it has come. */
export interface RereadCursor {
  readonly clusterId: string;
  readonly parts: readonly PlannedPart[];
}

interface Standing {
  readonly brokers: readonly BrokersPartition[];
  /** Where ingest stands, in the newest incarnation of each topic. */
  readonly ingested: readonly StoredOffset[];
  /** By partition; null: from the time that the brokers were asked for. */
  readonly offsets: Readonly<Record<string, number>> | null;
}

export type PlannedParts =
  | { readonly kind: 'planned'; readonly parts: readonly PlannedPart[] }
  | { readonly kind: 'refused'; readonly why: string };

const refused = (why: string): PlannedParts => ({ kind: 'refused', why });

/**
 * What there is to read again of each partition: from where it was asked for up to where ingest is by now. Pure. What ingest has
 * not read is its own.
 */
export function partsToRead({ brokers, ingested, offsets }: Standing): PlannedParts {
  const parts: PlannedPart[] = [];
  for (const found of brokers) {
    const part = partOf(found, { ingested, offsets });
    if (typeof part === 'string') return refused(part);
    if (part !== null) parts.push(part);
  }
  const unknown = Object.keys(offsets ?? {}).filter(
    (name) => !brokers.some(({ partition }) => String(partition) === name),
  );
  if (unknown.length > 0) return refused(`the topic has no partition ${unknown.join(', ')}`);
  return { kind: 'planned', parts };
}

/** @returns null: nothing of it is to be read; text: why it cannot be */
function partOf(
  { topic, partition, low, stable, at, knownAt }: BrokersPartition,
  { ingested, offsets }: Omit<Standing, 'brokers'>,
): PlannedPart | string | null {
  const wanted = offsets === null ? at : (offsets[String(partition)] ?? null);
  const stored = ingested.find((one) => one.topic === topic && one.partition === partition);
  if (wanted === null || stored === undefined) return null;
  const name = `${topic}/${partition}`;
  if (stable < stored.nextOffset) {
    return `${name} ends at ${stable}, and ingest has read it up to ${stored.nextOffset}: it was created anew, or has lost records`;
  }
  const from = Math.max(low, wanted);
  const { nextOffset: end, incarnation } = stored;
  if (from >= end) return null;
  if (offsets !== null && from < knownAt) {
    return `what ${name} holds before offset ${Math.min(knownAt, end)} is older than identities are remembered (RETENTION_DEDUP_DAYS), so it could count twice`;
  }
  return { topic, partition, incarnation, from, next: from, end };
}

/** The cursor once a partition has been read up to there. */
export function movedTo(
  cursor: RereadCursor,
  { topic, partition, nextOffset }: { readonly topic: string; readonly partition: number; readonly nextOffset: number },
): RereadCursor {
  const moved = (part: PlannedPart): PlannedPart =>
    part.topic === topic && part.partition === partition && part.next < nextOffset
      ? { ...part, next: Math.min(nextOffset, part.end) }
      : part;
  return { ...cursor, parts: cursor.parts.map(moved) };
}

export const openParts = ({ parts }: RereadCursor): readonly PlannedPart[] =>
  parts.filter(({ next, end }) => next < end);
