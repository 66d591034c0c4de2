import { readFileSync } from 'node:fs';

import type { KafkaEnvironment } from '#contracts';
import { readEnvironment } from '#contracts';

/** What is wrong with the words of a run, one line each. */
export class UsageProblems extends Error {
  override readonly name = 'UsageProblems';

  constructor(readonly lines: readonly string[]) {
    super(lines.join('\n'));
  }
}

interface KafkaWords {
  readonly env: NodeJS.ProcessEnv;
  /** In place of `KAFKA_BROKERS`. */
  readonly brokers: string | null;
  /** Nothing will be connected to. */
  readonly isDryRun: boolean;
}

const ofKafka = /^(?:KAFKA_.*|ALLOW_CLEARTEXT|NODE_TLS_REJECT_UNAUTHORIZED)$/;

/** Never connected to: the topics are read together with the brokers. */
const nowhere = 'localhost:9092';

/**
 * The daemon's own `KAFKA_*` variables, and what allows to do without TLS; what else it is given need not be right here.
 * @throws {UsageProblems}
 */
export function readKafka(words: KafkaWords): KafkaEnvironment {
  const variables = kafkaVariables(words);
  if (variables === null) throw new UsageProblems(['--brokers: required, or set KAFKA_BROKERS']);
  const read = readEnvironment(variables, { roles: [], readFile: (path) => readFileSync(path, 'utf8') });
  if (!read.ok) throw new UsageProblems(read.errors.map((problem) => inWords(problem, words)));
  const { kafka } = read.value;
  if (kafka === null) throw new UsageProblems(['--brokers: required']);
  return kafka;
}

/** Null without brokers. */
function kafkaVariables({ env, brokers, isDryRun }: KafkaWords): Record<string, string | undefined> | null {
  const named = Object.fromEntries(Object.entries(env).filter(([name]) => ofKafka.test(name)));
  const listed = (brokers ?? named['KAFKA_BROKERS'] ?? '').trim();
  if (listed !== '') return { ...named, KAFKA_BROKERS: listed };
  return isDryRun ? { ...named, KAFKA_BROKERS: nowhere } : null;
}

/** By the word that was used. */
function inWords(problem: string, { brokers }: KafkaWords): string {
  return brokers === null ? problem : problem.replace(/^KAFKA_BROKERS:/, '--brokers:');
}
