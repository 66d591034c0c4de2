import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What members are compared with who enrol again: what was taken last, not what was said first. */
export class LastEnrolments1764400000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- enrolment_key, enrolment_mac: business key and content digest of the last enrolment with other content than the first one of
-- its generation, which stands in dedup. NULL: there was none.
ALTER TABLE member ADD COLUMN enrolment_key bytea, ADD COLUMN enrolment_mac bytea;
`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
