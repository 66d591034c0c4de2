import { hash } from 'node:crypto';

import type { AuditLink, AuditStray } from '#contracts';

/** The last link of a chain. */
export interface ChainHead {
  readonly no: number;
  /** Hex. */
  readonly digest: string;
}

/** `NO:DIGEST`, to be noted outside the database. */
export function headText({ no, digest }: ChainHead): string {
  return `${no}:${digest}`;
}

/**
 * What a link covers of its action, by form: these columns, in this order. A form that was released never changes. A new
 * column of `operator_action` makes a new form: daemons of the release before go on chaining by theirs.
 */
const forms: Readonly<Record<number, readonly string[]>> = {
  1: ['action_id', 'at', 'actor', 'address', 'action', 'reason', 'lane_id', 'seq', 'detail', 'subject', 'request_id'],
};

/** The form of the links that are made now. */
export const chainForm = 1;

/** The columns that a form covers; none where this release does not know it. */
export function coveredColumns(form: number): readonly string[] {
  return forms[form] ?? [];
}

function sha256(text: string): string {
  return hash('sha256', text);
}

/** The digest of link 0, as the migration writes it. */
function startDigest({ actionId }: Pick<AuditLink, 'actionId'>): string {
  return sha256(`loyaltyd audit, after action ${actionId}`);
}

type CoveredAction = Pick<AuditLink, 'no' | 'form'> & { readonly row: NonNullable<AuditLink['row']> };

/**
 * The digest of a link: SHA-256, hex, over the digest before as hex, a line feed, and the JSON array of the form, the link's
 * number and the text of each covered column, or null, as JSON.stringify writes it, in UTF-8. Numbers are decimal, times
 * are in UTC without an offset (`2026-11-26T09:00:00.123456`), jsonb is as Postgres prints it.
 */
export function linkDigest(before: string, { no, form, row }: CoveredAction): string {
  const texts = coveredColumns(form).map((column) => row[column] ?? null);
  return sha256(`${before}\n${JSON.stringify([form, no, ...texts])}`);
}

/** Findings that are kept as texts. */
const findingsMax = 20;

const strayTexts: Readonly<Record<AuditStray['what'], string>> = {
  unlinked: 'is in no link and waits for none: loyaltyd did not write it, or its link was removed',
  missing: 'has waited for its link and is missing',
};

interface ChainExpectation {
  /** The link before the first one that comes; null: the first one is the start. */
  readonly base?: ChainHead | null;
  /** A head that was noted earlier. */
  readonly noted?: ChainHead | null;
}

/** Follows a chain link by link, and names what is changed, missing or inserted. */
export class ChainCheck {
  /** The first findings, in the order of the chain. */
  readonly findings: string[] = [];
  /** How many there are in all. */
  problems = 0;
  /** Actions up to here are older than the chain; null: the start has not come. */
  startedAfter: string | null = null;
  head: ChainHead | null;
  private readonly noted: ChainHead | null;
  private isNotedFound = false;

  constructor({ base = null, noted = null }: ChainExpectation = {}) {
    this.head = base;
    this.noted = noted;
  }

  add(link: AuditLink): void {
    const next = this.head === null ? 0 : this.head.no + 1;
    if (link.no < next) {
      this.find(`link ${link.no} comes where link ${next} should`);
      return;
    }
    if (link.no > next) this.find(missingLinks(next, link.no - 1));
    // Behind a gap nobody can say what this digest covers.
    else this.compare(link);
    this.compareNoted(link);
    this.head = { no: link.no, digest: link.digest };
  }

  addStray({ actionId, what }: AuditStray): void {
    this.find(`action ${actionId} ${strayTexts[what]}`);
  }

  /** No more links come. */
  end(): void {
    if (this.head === null) this.find('the chain has no start');
    if (this.noted === null || this.isNotedFound) return;
    const last = this.head === null ? '' : ` at link ${this.head.no}`;
    this.find(`the chain ends${last}: link ${this.noted.no}, which was noted, is missing`);
  }

  private compare(link: AuditLink): void {
    const { no, actionId, form, digest, row } = link;
    if (no === 0) {
      this.startedAfter = actionId;
      if (form !== 0 || digest !== startDigest(link)) this.find('link 0, the start, was changed');
    } else if (row === null) {
      this.find(`action ${actionId}, of link ${no}, is missing`);
    } else if (coveredColumns(form).length === 0) {
      this.find(`link ${no} is of form ${form}: a newer release made it, or it was changed`);
    } else if (!isCovered(this.head?.digest ?? '', { ...link, row })) {
      this.find(`action ${actionId} is not as link ${no} covers it: one of them was changed`);
    }
  }

  private compareNoted({ no, digest }: AuditLink): void {
    if (no !== this.noted?.no) return;
    this.isNotedFound = true;
    if (digest !== this.noted.digest) this.find(`link ${no} is not the one that was noted: the chain was written anew`);
  }

  private find(text: string): void {
    this.problems += 1;
    if (this.findings.length < findingsMax) this.findings.push(text);
  }
}

function isCovered(before: string, link: CoveredAction & Pick<AuditLink, 'actionId' | 'digest'>): boolean {
  const covered = coveredColumns(link.form);
  const { row, actionId } = link;
  return row['action_id'] === actionId && linkDigest(before, link) === link.digest && isWithin(row, covered);
}

/** In a file a line might say more than its digest covers. What the database has besides, a later form covers. */
function isWithin(row: CoveredAction['row'], covered: readonly string[]): boolean {
  return Object.keys(row).every((column) => covered.includes(column));
}

function missingLinks(from: number, to: number): string {
  return from === to ? `link ${from} is missing` : `links ${from} to ${to} are missing`;
}
