import type { QueryRunner } from 'typeorm';

import type { Migration } from '#platform';

import { installation } from './baseline/installation.js';
import { intents } from './baseline/intents.js';
import { jobs } from './baseline/jobs.js';
import { lanes } from './baseline/lanes.js';
import { members } from './baseline/members.js';
import { notices } from './baseline/notices.js';
import { operators } from './baseline/operators.js';
import { outcomes } from './baseline/outcomes.js';
import { sources } from './baseline/sources.js';

/** The schema of an empty database, by subject; each refers only to what stands before it. */
export class Baseline1798000000000 implements Migration {
  async up(runner: QueryRunner): Promise<void> {
    const subjects = [members, lanes, intents, sources, outcomes, operators, jobs, installation, notices];
    for (const subject of subjects) await runner.query(subject);
  }

  async down(): Promise<void> {
    // Undoing this one would destroy the truth.
    throw new Error('migrations only go forward; restore a backup instead');
  }
}
