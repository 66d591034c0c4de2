import type { Operation, PartnerCommand } from '#domain';

/** What an export holds: fixed when it begins, whatever comes afterwards. */
export interface ExportExtent {
  /** Null: every program. */
  readonly program: string | null;
  /** Recorded at or after, epoch ms. */
  readonly from: number;
  /** Recorded before, epoch ms. */
  readonly before: number;
  /** The last position of an event that belongs to it. */
  readonly upTo: number;
}

/** The last line that was read. */
export interface ExportPosition {
  readonly recordedAt: number;
  readonly laneId: number;
  readonly seq: number;
  readonly version: number;
}

interface OfMember {
  readonly program: string;
  readonly memberId: string;
  readonly seq: number;
  readonly version: number;
  readonly position: number;
  /** The person is erased: what was personal is null. */
  readonly isErased: boolean;
}

/** An intent as it was recorded. The content is personal. */
export interface ExportedIntent extends OfMember {
  readonly kind: 'intent';
  /** Epoch ms. */
  readonly recordedAt: number;
  readonly occurredAt: number;
  readonly brokerAt: number;
  readonly operation: Operation;
  readonly eventType: string;
  readonly source: string | null;
  readonly storeId: string | null;
  readonly purchaseId: string | null;
  readonly amountMinor: number | null;
  readonly currency: string | null;
  readonly waitsForSeq: number | null;
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly programsHash: Buffer;
  readonly command: PartnerCommand | null;
  readonly sourceRecord: { readonly headers: string; readonly value: string } | null;
}

/** Something that happened to an intent afterwards. The evidence is personal. */
export interface ExportedEvent extends OfMember {
  readonly kind: 'event';
  readonly type: string;
  /** Epoch ms. */
  readonly at: number;
  /** 0 where it is about no attempt. */
  readonly attempt: number;
  readonly data: Readonly<Record<string, unknown>>;
  readonly evidence: unknown;
}

export type ExportedFact = ExportedIntent | ExportedEvent;
