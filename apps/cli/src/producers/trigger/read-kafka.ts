import { readFileSync } from 'node:fs';

import type { KafkaEnvironment } from '#contracts';
import { readEnvironment } from '#contracts';

export type ReadKafka =
  | { readonly ok: true; readonly kafka: KafkaEnvironment }
  | { readonly ok: false; readonly problems: readonly string[] };

export interface KafkaWords {
  readonly env: NodeJS.ProcessEnv;
  /** In place of `KAFKA_BROKERS`. */
  readonly brokers: string | null;
  /** Nothing will be connected to. */
  readonly isDryRun: boolean;
}

/** Never connected to: the topics are read together with the brokers. */
const nowhere = 'localhost:9092';

/** The daemon's own `KAFKA_*` variables; what else is in its environment need not be right here. */
export function readKafka(words: KafkaWords): ReadKafka {
  const variables = kafkaVariables(words);
  if (variables === null) return { ok: false, problems: ['--brokers: required, or set KAFKA_BROKERS'] };
  const read = readEnvironment(variables, { roles: [], readFile: (path) => readFileSync(path, 'utf8') });
  if (!read.ok) return { ok: false, problems: read.errors.map((problem) => inWords(problem, words)) };
  const { kafka } = read.value;
  return kafka === null ? { ok: false, problems: ['--brokers: required'] } : { ok: true, kafka };
}

/** Null without brokers. */
function kafkaVariables({ env, brokers, isDryRun }: KafkaWords): Record<string, string | undefined> | null {
  const named = Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith('KAFKA_')));
  const told = (brokers ?? named['KAFKA_BROKERS'] ?? '').trim();
  if (told !== '') return { ...named, KAFKA_BROKERS: told };
  return isDryRun ? { ...named, KAFKA_BROKERS: nowhere } : null;
}

/** By the word that was used. */
function inWords(problem: string, { brokers }: KafkaWords): string {
  return brokers === null ? problem : problem.replace(/^KAFKA_BROKERS:/, '--brokers:');
}
