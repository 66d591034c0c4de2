import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';

import type { OutputFormat } from '../client/flags.js';
import { outputFormats } from '../client/flags.js';
import { wholeNumber } from '../command-line/option-values.js';
import type { Mode, TriggerOptions } from './options.js';
import {
  eventsMax,
  eventsPerSecondDefault,
  eventsPerSecondMax,
  modes,
  topicRecordsDefault,
  topicRecordsMax,
} from './options.js';

interface LintFlags {
  readonly sources?: string;
  readonly source?: string;
  readonly update?: boolean;
  readonly topic?: string;
  readonly last: number;
  readonly brokers?: string;
  readonly programs?: string;
  readonly dialect?: string;
  readonly output: OutputFormat;
  readonly strict?: boolean;
  readonly quiet?: boolean;
  readonly now?: string;
}

const lintExplanation = `
A file holds events in structured mode, or records {"key":…,"headers":{…},"value":…}: one JSON object, a JSON array, or
one object per line; its first line decides. Records of the sources of a programs file are known by their topic or folder: docs/sources.md. With --topic the newest records of a topic are read, by a consumer group of
this run alone that commits nothing; brokers, TLS and SASL come from the daemon's KAFKA_* variables. Nothing is sent anywhere.

Exit codes: 0 all accepted, 1 a file or the topic could not be read, 2 usage, 3 nothing to lint, 4 some were refused.`;

/** `loyaltyd lint`, for the teams whose events these are. */
export function addLint(program: Command, finish: (exitCode: number) => void): void {
  program
    .command('lint')
    .description('say what the daemon would make of samples of source events')
    .argument('[file...]', 'files or folders of samples; - is standard input')
    .option('--topic <name>', 'the newest records of a topic, in place of files')
    .addOption(
      new Option('--last <n>', 'of the topic: so many records of each partition')
        .default(topicRecordsDefault)
        .argParser((text) => wholeNumber(text, 1, topicRecordsMax)),
    )
    .option('--brokers <host:port,...>', 'instead of KAFKA_BROKERS')
    .option('--programs <file>', 'a programs file: also say what it would make of them')
    .option(
      '--sources <file>',
      'its sources, where they are a file of their own; alone: of the loyaltyd.yaml beside it',
    )
    .option('--source <name>', 'all samples are records of this source')
    .option('--update', 'keep what comes of records of sources beside them; later, something else is a failure')
    .option('--dialect <file>', 'the dialect file that goes with the programs file, as in WALLET_DIALECT')
    .addOption(new Option('-o, --output <format>', 'how to write').choices(outputFormats).default('table'))
    .option('--strict', 'fail on warnings and on what would be ignored')
    .option('-q, --quiet', 'leave out samples that are accepted without a warning')
    .option('--now <time>', 'judge times as if it were then, for samples that are kept')
    .addHelpText('after', lintExplanation)
    .action(async (files: readonly string[], flags: LintFlags) => {
      const { runLint } = await import('./lint/run-lint.js');
      finish(await runLint({ files, ...lintDefaults, ...flags }, process));
    });
}

/** What no flag says. */
const lintDefaults = {
  ...{ programs: null, sources: null, source: null, dialect: null, topic: null, brokers: null, now: null },
  ...{ strict: false, quiet: false, update: false },
};

interface TriggerFlags {
  readonly brokers?: string;
  readonly set?: readonly string[];
  readonly program?: string;
  readonly member?: string;
  readonly count: number;
  readonly rate: number;
  readonly mode: Mode;
  readonly topic?: string;
  readonly dryRun?: boolean;
  readonly invalid?: boolean;
  readonly yes?: boolean;
}

const triggerExplanation = `
TYPE is purchase.completed or loyalty.purchase.completed.v1. The event is the documented sample with a new id, a new
number of its own, this moment's time and the source /loyaltyd/trigger. PATH is total.minor, lines[0].sku, or an attribute
of the frame such as time; VALUE is JSON where it parses, else text; {n} in it is the number of the event, from 1.

Topics, TLS and SASL come from the daemon's KAFKA_* variables. A daemon takes these events for real ones: it tells its
partner. Prints one JSON line per record with its partition and offset.

Exit codes: 0 all sent, 1 none could be sent, 2 usage, 4 some were sent.`;

/** `loyaltyd trigger`, for the teams whose events these are. */
export function addTrigger(program: Command, finish: (exitCode: number) => void): void {
  program
    .command('trigger')
    .description('send test events to Kafka')
    .argument('<type>', 'the type of the event')
    .option('--brokers <host:port,...>', 'instead of KAFKA_BROKERS')
    .option('--set <path=value>', 'change the sample; may be given again', collect)
    .option('--program <name>', 'the program, in place of the sample’s')
    .option('--member <id>', 'the member, in place of the sample’s')
    .addOption(
      new Option('--count <n>', 'how many events').default(1).argParser((text) => wholeNumber(text, 1, eventsMax)),
    )
    .addOption(new Option('--rate <n/s>', 'events per second').default(eventsPerSecondDefault).argParser(perSecond))
    .addOption(new Option('--mode <mode>', 'of CloudEvents over Kafka').choices(modes).default('structured'))
    .option('--topic <name>', 'in place of the topic of its type')
    .option('--dry-run', 'print the records, send nothing')
    .option('--invalid', 'send even what the daemon would refuse')
    .option('--yes', 'send to brokers that are not this machine')
    .addHelpText('after', triggerExplanation)
    .action(async (type: string, flags: TriggerFlags) => {
      const { runTrigger } = await import('./trigger/run-trigger.js');
      finish(await runTrigger(optionsOf(type, flags), process));
    });
}

interface SendFlags {
  readonly programs?: string;
  readonly sources?: string;
  readonly topic?: string;
  readonly brokers?: string;
  readonly yes?: boolean;
}

const sendExplanation = `
A folder stands for all samples below it. A sample of a source goes to its topic: docs/sources.md, Samples. Topics, TLS and
SASL come from the daemon's KAFKA_* variables. A daemon takes these records for real ones: it tells its partner.

Exit codes: 0 all sent, 1 none could be sent, 2 usage, 4 some were sent.`;

/** `loyaltyd send`: samples as records, by which a source is tried. */
export function addSend(program: Command, finish: (exitCode: number) => void): void {
  program
    .command('send')
    .description('send samples to Kafka as they are')
    .argument('<file...>', 'files or folders of samples; - is standard input')
    .option('--programs <file>', 'a programs file: its sources say which topic a sample goes to')
    .option('--sources <file>', 'its sources, where they are a file of their own')
    .option('--topic <name>', 'in place of the topic of the record or its source')
    .option('--brokers <host:port,...>', 'instead of KAFKA_BROKERS')
    .option('--yes', 'send to brokers that are not this machine')
    .addHelpText('after', sendExplanation)
    .action(async (files: readonly string[], flags: SendFlags) => {
      const { runSend } = await import('./send/run-send.js');
      const { programs = null, sources = null, topic = null, brokers = null, yes = false } = flags;
      finish(await runSend({ files, programs, sources, topic, brokers, yes }, process));
    });
}

function optionsOf(type: string, flags: TriggerFlags): TriggerOptions {
  const { brokers = null, program = null, member = null, topic = null, set: settings = [] } = flags;
  const { mode, count, rate: eventsPerSecond } = flags;
  const [dryRun, invalid, yes] = [flags.dryRun === true, flags.invalid === true, flags.yes === true];
  return { type, brokers, program, member, topic, settings, mode, count, eventsPerSecond, dryRun, invalid, yes };
}

function collect(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, value];
}

/** `50` or `50/s`. @throws {InvalidArgumentError} */
function perSecond(text: string): number {
  const number = /^(\d{1,15})(?:\/s)?$/.exec(text)?.[1];
  if (number === undefined) throw new InvalidArgumentError('must be a number per second, such as 50/s.');
  return wholeNumber(number, 1, eventsPerSecondMax);
}
