import { Injectable } from '@nestjs/common';

import type { IdentityPlace, PartnerCommand } from '#intents/core';
import { refusalFingerprint } from '#intents/core';
import type { ResponseEvidence } from '#gateway';
import { DialectRegistry, rereadAnswer } from '#gateway';
import { IngestKeys } from '#intents';
import type { SqlStatement } from '#platform';
import { Database, keyedDigest } from '#platform';

import { TimelineRepository } from '../intents/timeline.js';
import type { FailureGroup } from './list-groups.js';

/** Words that the partner used for so many different members are personal to none of them. */
export const sharedByMin = 5;
/** Answers that are opened for one request: the next one reads on. */
const readsMax = 10;
/** Wordings that are kept, the eldest is forgotten first. */
const keptMax = 1_000;

const examplesStatement: SqlStatement = {
  name: 'list_wording_examples',
  text: `
SELECT DISTINCT ON (s.fingerprint) s.fingerprint, s.lane_id AS "laneId", s.seq
FROM intent_standing s JOIN member m USING (lane_id)
WHERE s.status = 'parked' AND s.fingerprint = ANY ($1::text[]) AND s.seq > m.erased_seq
ORDER BY s.fingerprint, s.since DESC, s.lane_id, s.seq`,
};

interface Example extends IdentityPlace {
  readonly fingerprint: string;
}

interface Kept {
  /** Of which intent it was read. */
  readonly of: string;
  /** Null: its answer could not be read, or is another one by now. */
  readonly wording: string | null;
}

const nameOf = ({ laneId, seq }: IdentityPlace): string => `${laneId}/${seq}`;

/** The words that a refusal's digest was made of: its code, and what the partner said without the member's own values. */
function wordingOf(command: PartnerCommand, evidence: unknown, dialects: DialectRegistry): string | null {
  const { response } = (evidence ?? {}) as { readonly response?: ResponseEvidence | null };
  if (response === null || response === undefined) return null;
  const outcome = rereadAnswer(command, response, dialects);
  return outcome.kind === 'rejected' ? refusalFingerprint(outcome.code, outcome.message, command) : null;
}

/** Of `CODE: WORDS` the words; a partner may have said none. */
const saidIn = (wording: string): string | null => wording.slice(wording.indexOf(': ') + 2) || null;

/** What the partner said to many: it may be shown in clear, without the values that were taken out of it. */
@Injectable()
export class CommonMessages {
  /** By fingerprint. */
  private readonly kept = new Map<string, Kept>();

  constructor(
    private readonly database: Database,
    private readonly dialects: DialectRegistry,
    private readonly keys: IngestKeys,
    private readonly timelines: TimelineRepository,
  ) {}

  /** By fingerprint, of the groups in which members enough share one. */
  async of(groups: readonly FailureGroup[]): Promise<ReadonlyMap<string, string>> {
    const shared = groups.flatMap(({ fingerprint, members }) =>
      fingerprint !== null && members >= sharedByMin ? [fingerprint] : [],
    );
    for (const example of await this.unread([...new Set(shared)])) {
      this.keep(example, { of: nameOf(example), wording: await this.read(example) });
    }
    return new Map(shared.flatMap((fingerprint) => this.shown(fingerprint)));
  }

  private shown(fingerprint: string): [string, string][] {
    const wording = this.kept.get(fingerprint)?.wording ?? null;
    return wording === null ? [] : [[fingerprint, wording]];
  }

  /** One that could not be read is not tried again: another one with the same digest is. */
  private async unread(fingerprints: readonly string[]): Promise<readonly Example[]> {
    const missing = fingerprints.filter((fingerprint) => this.shown(fingerprint).length === 0);
    if (missing.length === 0) return [];
    const { rows } = await this.database.execute<Example>(examplesStatement, [missing]);
    return rows.filter((row) => this.kept.get(row.fingerprint)?.of !== nameOf(row)).slice(0, readsMax);
  }

  private async read(example: Example): Promise<string | null> {
    const timeline = await this.timelines.load(example);
    const refusal = timeline?.events.findLast(({ type }) => type === 'AttemptRejected');
    const command = timeline?.command ?? null;
    if (refusal === undefined || command === null) return null;
    const wording = wordingOf(command, refusal.evidence, this.dialects);
    // A command or dialect that was changed since gives other words: they are not shared.
    const isShared = wording !== null && keyedDigest(this.keys.mac, wording).toString('hex') === example.fingerprint;
    return isShared ? saidIn(wording) : null;
  }

  private keep({ fingerprint }: Example, kept: Kept): void {
    this.kept.set(fingerprint, kept);
    const [eldest] = this.kept.keys();
    if (this.kept.size > keptMax && eldest !== undefined) this.kept.delete(eldest);
  }
}
