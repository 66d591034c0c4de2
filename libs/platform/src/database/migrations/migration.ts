import type { MigrationInterface } from 'typeorm';

/** Why older programs cannot go on beside a schema, and which can. */
export interface BreakingNote {
  /**
   * Schema version of the oldest program that still works: the timestamp of the newest migration that it knows. Programs
   * that know less refuse to start, and must be gone before the migration runs.
   */
  readonly serves: number;
  /** For the operator who reads the plan. */
  readonly why: string;
}

/**
 * A step of the schema, forward only. Without `breaking` it promises that whatever worked on the schema before still
 * does (docs/upgrades.md says what keeps that promise).
 */
export interface Migration extends MigrationInterface {
  readonly breaking?: BreakingNote;
}

/** A migration's class; its name ends in a timestamp of 13 digits. */
export type MigrationClass = new () => Migration;

const timestampDigits = 13;

/** The schema version that a migration leads to: the timestamp in its name. */
export function versionOf(migrationName: string): number {
  return Number(migrationName.slice(-timestampDigits));
}
