import { Undo } from '../../support/process/program.js';
import { fillMembers, memberAt } from '../backlog/fill-members.js';
import { installationDatabase, openInstallation, together } from '../infrastructure/bench-installation.js';
import type { BenchPostgres } from '../infrastructure/bench-postgres.js';
import { runSql, startBenchPostgres } from '../infrastructure/bench-postgres.js';
import { awaitApplied, EventFeeder, feedWithLead } from '../infrastructure/load.js';
import type { FiguresReport, FiguresRow } from '../report/bench-report.js';
import { rounded } from '../statistics.js';
import type { PartnerStub } from '../stub/start-stub.js';
import type { MeasureTools } from './measure.js';

const intervals = 2;
/** Nothing but its time, or we, makes the server write a checkpoint. */
const roomForLog = ['max_wal_size=32GB', 'checkpoint_timeout=1h'];
const leadMax = 20_000;

const columns = ['bytes an event', 'whole pages an event'];

/** The best that the server was built with. */
const compressionOf = async (url: string): Promise<string> => {
  const text = `SELECT enumvals AS values FROM pg_settings WHERE name = 'wal_compression'`;
  const known = (await runSql<{ values: readonly string[] }>(url, text))[0]?.values ?? [];
  return ['zstd', 'lz4'].find((name) => known.includes(name)) ?? 'on';
};

interface Feeding {
  readonly postgres: BenchPostgres;
  readonly feeder: EventFeeder;
  readonly stub: PartnerStub;
  readonly events: number;
  readonly secondsMax: number;
}

/** The values of some intervals, each from one checkpoint to the next, by `columns`. */
const measureLog = async ({ postgres, feeder, stub, events, secondsMax }: Feeding): Promise<number[]> => {
  await postgres.checkpoint();
  const [bytes, pages] = [await postgres.walBytes(), await postgres.walPages()];
  for (let interval = 0; interval < intervals; interval += 1) {
    await feedWithLead(feeder, stub, { events: feeder.produced + events, leadMax, secondsMax });
    await awaitApplied(stub, feeder.produced, secondsMax * 1_000);
    await postgres.checkpoint();
  }
  const logged = [(await postgres.walBytes()) - bytes, (await postgres.walPages()) - pages];
  return logged.map((value) => value / (intervals * events));
};

const measure = async (tools: MeasureTools, undo: Undo): Promise<FiguresReport> => {
  const { encryptionKey, say, plan } = tools;
  const { members, events, secondsMax } = plan.log;
  const postgres = await startBenchPostgres({ settings: roomForLog });
  undo.add(() => postgres.stop());
  const fill = async (url: string): Promise<void> => {
    say(`log: filling a database with ${members} members`);
    await fillMembers(url, encryptionKey, { members, active: 2 * intervals * events });
  };
  const installation = await openInstallation({ ...tools, postgres }, 0, undo, { roles: [], fill });
  const { broker, purchases, stub, databaseUrl, start } = installation;
  const feeder = await EventFeeder.connect(broker, purchases, { members, memberAt, firstRank: 1 });
  undo.add(() => feeder.stop());
  const compression = await compressionOf(databaseUrl);
  const rows: FiguresRow[] = [];
  for (const value of ['off', compression]) {
    say(`log: ${intervals} x ${events} events with wal_compression ${value}`);
    await postgres.configure(installationDatabase, 'wal_compression', value);
    const daemon = await start(together.join(','));
    const values = await measureLog({ postgres, feeder, stub, events, secondsMax });
    rows.push({ label: `wal_compression=${value}`, values: values.map(rounded) });
    await daemon.stop();
  }
  const count = (number: number): string => number.toLocaleString('en-US');
  return {
    kind: 'figures',
    name: 'log',
    unit: `${count(members)} members`,
    columns,
    rows,
    bars: [],
    notes: [
      `Each member has an intent that was delivered long ago. ${intervals} times ${count(events)} events, each of another member far from the one before, go from Kafka to the recorded answer through one daemon; a checkpoint comes before, between and after, and no other. After a checkpoint the server logs each page that changes as a whole, once (\`full_page_writes\`): where members are many and events few among them, it is one page or more for each index and each row.`,
      'wal_compression packs these pages; the rest of the log stays as it is. It costs processor time where pages are logged, and takes a superuser to set.',
    ],
  };
};

/** The write-ahead log of events whose pages are always others. */
export const logMeasure = (tools: MeasureTools): Promise<FiguresReport> => {
  const undo = new Undo();
  return undo.after(() => measure(tools, undo));
};
