/** What a contestant is to do in one round. */
export interface RoundInput {
  /** The partner stub: `http://127.0.0.1:PORT`. */
  readonly stubOrigin: string;
  /** The round's own database; empty for those who need none. */
  readonly databaseUrl: string;
  /** Base64; the key that the backlog was sealed with. */
  readonly encryptionKey: string;
  readonly members: number;
  readonly intentsPerMember: number;
  readonly concurrency: number;
  /** After so long a slow contestant stops and is judged by what it has done. */
  readonly secondsMax: number;
  readonly kafka: KafkaInput | null;
  /** A member whose intents are not part of the work, only in its way. */
  readonly notAwaited?: string;
}

/** Records that wait in Kafka. */
export interface KafkaInput {
  readonly brokers: string;
  readonly topic: string;
  /** A consumer group of its own. */
  readonly groupId: string;
  readonly records: number;
}

export interface RoundFigures {
  readonly done: number;
  readonly seconds: number;
  /** User and system time of the contestant's process meanwhile. */
  readonly cpuSeconds: number;
  /** Statements sent to Postgres, where they could be counted. */
  readonly statements: number | null;
}

/** One way to do the work. Throws when it could not. */
export type Contestant = (input: RoundInput) => Promise<RoundFigures>;
