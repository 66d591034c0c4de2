import type { OutputFormat } from '../client/flags.js';

/** The words of `loyaltyd lint`. */
export interface LintOptions {
  /** Names of files; `-` is standard input. None: a topic is read. */
  readonly files: readonly string[];
  /** `null`: files are read. */
  readonly topic: string | null;
  /** The newest so many records of each partition of the topic. */
  readonly last: number;
  /** `null`: as `KAFKA_BROKERS` says. */
  readonly brokers: string | null;
  readonly programs: string | null;
  /** A file that is the section `sources` of the programs file. */
  readonly sources: string | null;
  /** The source that all samples are of; `null`: each says so by its topic or folder, or is an event of ours. */
  readonly source: string | null;
  readonly dialect: string | null;
  /** Keep what comes of samples of sources beside them. */
  readonly update: boolean;
  readonly output: OutputFormat;
  /** Warnings make the run fail. */
  readonly strict: boolean;
  /** Only what is refused, ignored or warned about. */
  readonly quiet: boolean;
  /** RFC 3339: the time that the samples' times are judged by; `null`: the time at which each is read. */
  readonly now: string | null;
}

/** The two modes of CloudEvents over the Kafka protocol binding. */
export const modes = ['structured', 'binary'] as const;
export type Mode = (typeof modes)[number];

/** The words of `loyaltyd trigger`. */
export interface TriggerOptions {
  /** As written. */
  readonly type: string;
  /** `null`: as `KAFKA_BROKERS` says. */
  readonly brokers: string | null;
  readonly program: string | null;
  readonly member: string | null;
  /** Each `path=value`. */
  readonly settings: readonly string[];
  readonly count: number;
  readonly eventsPerSecond: number;
  readonly mode: Mode;
  /** `null`: the topic of the event's type. */
  readonly topic: string | null;
  /** Print, send nothing. */
  readonly dryRun: boolean;
  /** Send what the daemon would refuse. */
  readonly invalid: boolean;
  /** Send to brokers of other machines. */
  readonly yes: boolean;
}

/** Records of a partition that `lint --topic` reads where nothing else is said. */
export const topicRecordsDefault = 1_000;
/** More would take hours. */
export const topicRecordsMax = 1_000_000;

/** How many events one run sends. */
export const eventsMax = 10_000;
export const eventsPerSecondDefault = 100;
/** Each is acknowledged before the next is sent, so that their order holds and the place of each is known. */
export const eventsPerSecondMax = 1_000;
