/** The broker a test run uses. */
export interface TestBroker {
  /** Comma list of `host:port`, as in `KAFKA_BROKERS`. */
  readonly brokers: string;
  /** Such as `4.3.1`; `unknown` when it was given by the environment. */
  readonly version: string;
  /** Apache Kafka itself (or what the environment gave us), not the embedded broker. */
  readonly isReal: boolean;
  /** Where it comes from, for people: `Maven Central, Java 17`. When it is not real: why not. */
  readonly origin: string;
}

/** The Postgres server a test run uses. */
export interface TestPostgres {
  /** A database on which others can be created. */
  readonly adminUrl: string;
  /** The same server as a plain user, to whom the databases that are created belong. */
  readonly ownerUrl: string;
  /** The same server as a plain user who owns nothing and may do what a daemon does; the owner where nobody may create users. */
  readonly runUrl: string;
  readonly version: string;
  readonly origin: string;
  /** Prefix of every database that this run creates. */
  readonly databasePrefix: string;
}

/** A started part and how to end it. */
export interface Started<Part> {
  readonly part: Part;
  stop(): Promise<void>;
}

/** What a test run needs, each part started on its first request. */
export interface Parts {
  readonly broker: TestBroker;
  readonly postgres: TestPostgres;
}
