import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Provisioning sets a brand's name, too (partner-api.md 4.13). */
export class ProvisionedBrands1795608000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- Small: a row for each call of a provisioning job. What was allowed stays so.
ALTER TABLE provisioned DROP CONSTRAINT provisioned_kind_check;
ALTER TABLE provisioned ADD CONSTRAINT provisioned_kind_check
  CHECK (kind IN ('brand', 'brand-attribute', 'transaction-type', 'transaction-attribute', 'template')) NOT VALID;
ALTER TABLE provisioned VALIDATE CONSTRAINT provisioned_kind_check;
`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
