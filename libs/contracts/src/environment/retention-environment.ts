import type { RetentionEnvironment } from './environment.js';
import { integerSchema, textSchema } from './value-schemas.js';
import type { VariableReader } from './variables.js';

const daysMax = 36_500;

/** The `RETENTION_*` variables. */
export function readRetention(variables: VariableReader): RetentionEnvironment {
  const days = (name: string, absent: number): number => variables.withDefault(name, integerSchema(0, daysMax), absent);
  const intentDays = days('RETENTION_INTENT_DAYS', 0);
  const archiveFolder = variables.optional('RETENTION_ARCHIVE_DIR', textSchema);
  if (intentDays > 0 && archiveFolder === null) {
    variables.fail('RETENTION_ARCHIVE_DIR', 'required where RETENTION_INTENT_DAYS is not 0');
  }
  return {
    intentDays,
    dedupDays: days('RETENTION_DEDUP_DAYS', 400),
    quarantineDays: days('RETENTION_QUARANTINE_DAYS', 0),
    jobDays: days('RETENTION_JOB_DAYS', 400),
    // Kafka is not set up everywhere where retention runs.
    hasDeadLetters: variables.text('KAFKA_TOPIC_DEAD_LETTER') !== 'none',
    archiveFolder,
  };
}
