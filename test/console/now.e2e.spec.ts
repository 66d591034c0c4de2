import type { Locator } from 'playwright-core';

import type { SeriesView, StatsView } from '#contracts';
import { waitUntil } from '#embedded';
import { describeUnless, withClient } from '#test-support';

import { programsFile } from '../e2e/harness.js';
import { readLedger } from '../e2e/partner.js';
import { enrolled, produce, purchased } from '../e2e/traffic.js';
import { chromiumMissing } from './browser.js';
import { ConsoleFixture } from './console-fixture.js';
import type { ConsolePage } from './console-page.js';
import { passOverTestServer } from './test-server.js';
import { awaitStatus } from './troubled-traffic.js';

const program = 'coffee-club';
const members = Array.from({ length: 8 }, (_, index) => `m-${index}`);
/** The partner refuses everybody once: the pause that this causes would be another trouble. */
const programs = `${programsFile}    autoPause: { sameRefusals: 1000000 }\n`;

const minuteMs = 60_000;
const dayMs = 86_400_000;
/** For what a minute's end must come for. */
const minutePatience = { timeoutMs: 120_000, intervalMs: 500 };
const patience = { timeoutMs: 60_000, intervalMs: 200 };
const slowMs = 900;
/** What each member buys at once. */
const sold = 3;
/** Durations are told by buckets, four to each doubling. */
const toldWithin = 0.1;

type SeriesPoint = SeriesView['items'][number];

describeUnless(chromiumMissing, 'the Now screen', () => {
  let fixture: ConsoleFixture;
  let seat: ConsolePage;
  let purchases = 0;

  beforeAll(async () => {
    fixture = await ConsoleFixture.open(programs);
    const { broker, topics } = fixture.harness;
    await produce(broker, topics, members.map(enrolled));
    await awaitStatus(fixture, 'delivered', members.length);
    seat = await fixture.sit({ role: 'viewer' });
    await passOverTestServer(seat);
    await seat.goTo('');
  });

  afterAll(async () => {
    await fixture.close();
  });

  afterEach(() => {
    expect(seat.takeFindings()).toEqual([]);
  });

  const stats = async (): Promise<StatsView> => (await fixture.api('viewer').get('/stats')).body as StatsView;
  const count = async (...statuses: readonly string[]): Promise<number> =>
    (await stats()).intents
      .filter(({ status }) => statuses.includes(status))
      .reduce((sum, { intents }) => sum + intents, 0);
  const partner = async (): Promise<StatsView['partner'][number] | undefined> =>
    (await stats()).partner.find((one) => one.program === program);
  const series = async (rangeMs: number): Promise<readonly SeriesPoint[]> => {
    const from = new Date(Date.now() - rangeMs).toISOString();
    return ((await fixture.api('viewer').get(`/series?from=${from}`)).body as SeriesView).items;
  };

  /** Each member buys so often. */
  async function buy(times: number): Promise<void> {
    const { broker, topics } = fixture.harness;
    const sales = Array.from({ length: times }, () => (purchases += 1));
    const emissions = sales.flatMap((sale) => members.map((memberId) => purchased(memberId, `${memberId}-${sale}`)));
    await produce(broker, topics, emissions);
  }
  const bought = (): number => purchases * members.length;

  const sentence = async (): Promise<string> => {
    const banner = seat.page.getByRole('region', { name: 'How things stand' });
    return (await banner.locator('p').allInnerTexts()).join('\n');
  };
  async function says(text: RegExp): Promise<string> {
    let said = '';
    const isSaid = async (): Promise<boolean> => text.test((said = await sentence()));
    try {
      await waitUntil(isSaid, { what: `the sentence ${text.source}`, ...minutePatience });
    } catch (error) {
      throw new Error(`it says ${said}`, { cause: error });
    }
    return said;
  }

  /** The value of a tile and its note. */
  async function tile(name: string): Promise<readonly [string, string]> {
    const shown = seat.page.locator('main dl > div').filter({ has: seat.page.getByText(name, { exact: true }) });
    const [value = '', note = ''] = await shown.first().locator('dd').allInnerTexts();
    return [value, note];
  }
  const awaitTile = (name: string, isThere: (value: string, note: string) => boolean): Promise<unknown> =>
    waitUntil(async () => isThere(...(await tile(name))), { what: `the tile ${name}`, ...patience });

  /** What the table of programs says in a column. */
  async function ofProgram(column: string): Promise<string> {
    const table = seat.page.getByRole('region', { name: 'Programs', exact: true });
    const headers = await table.locator('thead th').allInnerTexts();
    const cells = table.locator('tbody tr').filter({ hasText: program }).locator('th, td');
    return cells.nth(headers.findIndex((header) => header.toLowerCase() === column.toLowerCase())).innerText();
  }

  const chart = (label: RegExp): Locator => seat.page.locator('main figure').filter({ hasText: label });

  /** The numbers that a chart draws, row by row. */
  async function numbersOf(label: RegExp): Promise<readonly (readonly string[])[]> {
    const figure = chart(label);
    if ((await figure.locator('details[open]').count()) === 0) await figure.locator('summary').click();
    const rows = await figure.locator('tbody tr').all();
    return Promise.all(
      rows.map(async (row) => (await row.locator('th, td').allInnerTexts()).slice(1).map((text) => text.trim())),
    );
  }

  /** How many points of a chart's picture have the colour of one of its lines: where two tell the same, one covers the other. */
  const paintedPoints = async (label: string): Promise<number> =>
    seat.page.evaluate<number>(`(() => {
      const figures = [...document.querySelectorAll('main figure')];
      const figure = figures.find((one) => one.textContent.startsWith(${JSON.stringify(label)}));
      const colours = [...figure.querySelectorAll('dl svg line')].map((line) =>
        getComputedStyle(line).stroke.match(/[\\d.]+/g).map(Number));
      const canvas = figure.querySelector('canvas');
      const copy = Object.assign(document.createElement('canvas'), { width: canvas.width, height: canvas.height });
      const picture = copy.getContext('2d', { willReadFrequently: true });
      picture.drawImage(canvas, 0, 0);
      const { data } = picture.getImageData(0, 0, copy.width, copy.height);
      let points = 0;
      for (let at = 0; at < data.length; at += 4) {
        const isNear = (wanted, part) => Math.abs(data[at + part] - wanted) < 24;
        if (data[at + 3] > 200 && colours.some((colour) => colour.slice(0, 3).every(isNear))) points += 1;
      }
      return points;
    })()`);

  const written = (value: number | null): string => (value === null ? 'not known' : value.toLocaleString('en'));
  const drawsWhatIsTold = (label: RegExp, names: readonly (keyof SeriesPoint)[]): Promise<unknown> =>
    waitUntil(
      async () => {
        const told = (await series(60 * minuteMs)).map((point) => names.map((name) => written(point[name] as number)));
        const drawn = await numbersOf(label);
        // What is so now may follow after the last minute.
        return told.length > 0 && JSON.stringify(drawn.slice(0, told.length)) === JSON.stringify(told);
      },
      { what: `the numbers of ${label.source}`, ...minutePatience },
    );

  it('says that all is well, and how much', async () => {
    await says(/^Healthy\nAll well: (\d+ delivered in the last minute|about \d+ settled a minute), nothing waits/);
    for (const name of ['Pending', 'Waiting', 'Unknown', 'Parked']) await awaitTile(name, (value) => value === '0');
    await awaitTile('Consumer lag', (value, note) => value === '0' && note === 'records in Kafka');
    expect((await stats()).lag).toMatchObject({ records: 0, oldestSeconds: null });
    expect(await ofProgram('Breaker')).toBe('closed');
    const { limit } = (await partner()) ?? {};
    expect(await ofProgram('Calls at once, at most')).toBe(String(limit));
  });

  it('tells how long the partner takes: no shorter than the partner makes it last', async () => {
    await fixture.breakPartner({ operation: 'transaction', kind: 'latency', ms: slowMs });
    await buy(sold);
    await awaitStatus(fixture, 'delivered', members.length + bought());
    const isSlow = async (): Promise<boolean> => ((await partner())?.latencyMs?.p50 ?? 0) >= slowMs * (1 - toldWithin);
    await waitUntil(isSlow, { what: 'the latency of the last minute', ...patience });
    await awaitTile('Partner answers in', (value) => milliseconds(value) >= slowMs * (1 - toldWithin));
    const shows = async (): Promise<boolean> => {
      const [value, note] = await tile('Partner answers in');
      const latency = (await partner())?.latencyMs;
      return (
        isAbout(milliseconds(value), latency?.p50) && isAbout(milliseconds(note.replace('p95 ', '')), latency?.p95)
      );
    };
    await waitUntil(shows, { what: 'the tile to show what the API tells', ...patience });
    await fixture.breakPartner();
    expect(callsIn(fixture.harness.output()).length).toBe(members.length + bought());
  });

  it('tells by the minute how far Kafka is ahead until it is taken in, and how long the calls before took, as the log does', async () => {
    const { topics, database } = fixture.harness;
    await withClient(database.url, async (holder) => {
      // Nobody can store how far purchases were read.
      await holder.query('BEGIN');
      await holder.query('SELECT FROM kafka_offset WHERE topic = $1 FOR UPDATE', [topics.purchases]);
      await buy(sold);
      const records = sold * members.length;
      await awaitTile('Consumer lag', (value, note) => value === String(records) && note.endsWith('at most'));
      expect((await stats()).lag).toMatchObject({ records });
      const isKept = async (): Promise<boolean> =>
        (await series(60 * minuteMs)).some(
          ({ lagRecords, lagSeconds }) => lagRecords === records && (lagSeconds ?? 0) > 0,
        );
      await waitUntil(isKept, { what: 'a minute with that lag', ...minutePatience });
      // Nothing is sent meanwhile: all calls are in the longest series, in a step or some.
      const calls = callsIn(fixture.harness.output());
      const isAsLogged = ({ at, latencyP50Ms, latencyP95Ms }: SeriesPoint): boolean => {
        const from = Date.parse(at);
        const took = calls.filter((call) => call.at >= from && call.at < from + 5 * minuteMs).map(({ ms }) => ms);
        return isTold(latencyP50Ms, quantile(took, 0.5)) && isTold(latencyP95Ms, quantile(took, 0.95));
      };
      const isWhole = async (): Promise<boolean> => {
        const steps = (await series(dayMs - minuteMs)).filter(({ latencyP50Ms }) => latencyP50Ms !== null);
        return steps.length > 0 && steps.every(isAsLogged);
      };
      await waitUntil(isWhole, { what: 'the latencies of the log', ...minutePatience });
      await holder.query('ROLLBACK');
    });
    await awaitTile('Consumer lag', (value) => value === '0');
    await awaitStatus(fixture, 'delivered', members.length + bought());
    await says(/^Healthy\nAll well: /);
  });

  it('draws it by the minute, and how far Kafka is ahead', async () => {
    await drawsWhatIsTold(/^Partner answers in \(ms\), by minute/, ['latencyP50Ms', 'latencyP95Ms']);
    await drawsWhatIsTold(/^Consumer lag \(records\)/, ['lagRecords']);
    await drawsWhatIsTold(/^Consumer lag \(age in s\)/, ['lagSeconds']);
    const isPainted = async (): Promise<boolean> =>
      (await paintedPoints('Partner answers in')) > 0 && (await paintedPoints('Consumer lag (records)')) > 0;
    await waitUntil(isPainted, { what: 'lines in the pictures', ...patience });
    expect(await seat.accessibilityFindings()).toEqual([]);
  });

  it('has the range in its address, and asks for that', async () => {
    const asked: string[] = [];
    seat.page.on('request', (request) => asked.push(request.url()));
    const lasted = (): number[] =>
      asked
        .map((url) => new URL(url))
        .filter(({ pathname }) => pathname.endsWith('/series'))
        .map(({ searchParams: at }) => Date.parse(at.get('to') ?? '') - Date.parse(at.get('from') ?? ''));
    const range = (name: string): Locator => seat.page.getByRole('button', { name, exact: true });
    await range('24 h').click();
    await chart(/by 5 minutes/)
      .first()
      .waitFor();
    expect(new URL(seat.page.url()).searchParams.get('range')).toBe('24h');
    expect(await range('24 h').getAttribute('aria-pressed')).toBe('true');
    expect(lasted()).toContain(dayMs);
    await seat.goTo('?range=15m');
    await chart(/by minute/)
      .first()
      .waitFor();
    expect(await range('15 min').getAttribute('aria-pressed')).toBe('true');
    expect(await range('1 h').getAttribute('aria-pressed')).toBe('false');
    await range('1 h').click();
    await waitUntil(() => new URL(seat.page.url()).searchParams.get('range') === '1h', {
      what: 'the address',
      ...patience,
    });
  });

  it('says that the partner does not answer, how much waits for it, and that it is back', async () => {
    const before = (await readLedger(fixture.harness.sandboxUrl)).length;
    await fixture.breakPartner({ operation: '*', kind: 'error-before', status: 503 });
    await buy(sold);
    // Who was asked for may have been done: that is not known. All others wait.
    const isWhole = async (): Promise<boolean> => {
      const [waiting, unknown] = [await count('pending', 'delivering', 'waiting'), await count('unknown')];
      const wanted = `Not healthy\n.* ${program}: ${waiting} intents wait, nothing is lost`;
      return waiting > 0 && waiting + unknown === sold * members.length && new RegExp(wanted).test(await sentence());
    };
    await waitUntil(isWhole, { what: 'the sentence to tell what waits', ...patience });
    await awaitTile('Partner answers in', (_value, note) => note === `rests for ${program}`);
    const { breaker, resting, since } = (await partner()) ?? {};
    expect({ isClosed: breaker === 'closed', resting, hasSince: typeof since === 'string' }).toEqual({
      ...{ isClosed: false, resting: 1, hasSince: true },
    });
    expect(await ofProgram('Breaker')).not.toBe('closed');
    expect(await readLedger(fixture.harness.sandboxUrl)).toHaveLength(before);
    await fixture.breakPartner();
    await says(/^Healthy\nAll well: /);
    expect(await ofProgram('Breaker')).toBe('closed');
    expect((await partner())?.breaker).toBe('closed');
    // What is under way is no trouble: that all is well is said before the last has arrived.
    await awaitStatus(fixture, 'delivered', members.length + bought());
    expect(await readLedger(fixture.harness.sandboxUrl)).toHaveLength(before + sold * members.length);
  });

  it('looks again soon at what an examination found, and no longer says it once it has passed', async () => {
    await fixture.breakPartner({ operation: 'lookup', kind: 'error-before', status: 503 });
    await seat.goTo('');
    await says(/^Not healthy\nCheck partner\.lookup\.coffee-club failed: /);
    await fixture.breakPartner();
    await says(/^Healthy\nAll well: /);
  });

  it('says what the partner refuses, since when and for how many, and where one sees why', async () => {
    await fixture.breakPartner({ operation: 'transaction', kind: 'error-before', status: 422 });
    await buy(1);
    await awaitStatus(fixture, 'parked', members.length);
    // Somebody is called, and looks.
    await seat.goTo('');
    const said = await says(/^Not healthy\nPartner refuses/);
    const many = String(members.length);
    const what = `refuses ${many} purchases of ${program} since \\d\\d:\\d\\d, all of store \\S+`;
    expect(said).toMatch(new RegExp(`${what}: ${many} members, .*100.00 at stake. It says: \\w`));
    await awaitTile('Parked', (value) => value === String(members.length));
    const faults = (await (await fetch(`${fixture.harness.sandboxUrl}/__faults`)).json()) as {
      rules: { struck: number }[];
    };
    expect(faults.rules.map(({ struck }) => struck)).toEqual([members.length]);
    await seat.page.getByRole('link', { name: 'See why' }).first().click();
    await seat.page.getByRole('heading', { name: 'What it means' }).waitFor();
    expect(new URL(seat.page.url()).pathname).toBe('/failures');
  });
});

/** `734 ms`, `1.2 s`, `12 s`. */
function milliseconds(text: string): number {
  const [, number = 'NaN', unit] = /^([\d.,]+) (ms|s)$/.exec(text) ?? [];
  return Number(number) * (unit === 's' ? 1_000 : 1);
}

/** As far as a tile writes it out: tenths of seconds. */
const isAbout = (shown: number, told: number | undefined): boolean => Math.abs(shown - (told ?? NaN)) <= 0.06 * shown;

/** What calls to the partner took, as the log tells of each. */
function callsIn(log: string): readonly { readonly at: number; readonly ms: number }[] {
  const lines = log.split('\n').filter((line) => line.includes('"attempt recorded'));
  return lines.map((line) => {
    const { time, durationMs } = JSON.parse(line) as { readonly time: number | string; readonly durationMs: number };
    return { at: new Date(time).getTime(), ms: durationMs };
  });
}

function quantile(values: readonly number[], part: number): number {
  return values.toSorted((one, other) => one - other)[Math.max(1, Math.ceil(part * values.length)) - 1] ?? NaN;
}

/** As buckets tell it. */
const isTold = (told: number | null, ms: number): boolean =>
  Math.abs((told ?? NaN) - ms) <= Math.max(1, ms * toldWithin);
