import { request } from 'node:http';

import type { JobView, PauseView } from '#contracts';
import { waitUntil } from '#embedded';

import type { RawRequest, Role } from './testing/operators-door.js';
import { OperatorsDoor, roles } from './testing/operators-door.js';
import { broken, changed, completed, enrolled, own, sent } from './testing/sent-events.js';

/** The tokens whose names end so may know of these programs. */
const ours = 'coffee-club';
const limits = { one: [ours], two: [ours, 'till-club'], shared: ['chai-club'] };
/** Stands in everything that is of the other program, and its name does, too. */
const mark = 'zebra';
const theirs = 'tea-club';
const traces = new RegExp(`${mark}|${theirs}`, 'i');
/** Stands in everything that is of ours. */
const sign = 'daisy';

const metrics = [
  '# HELP loyaltyd_intents Intents.',
  `loyaltyd_intents{program="${ours}",status="${sign}"} 1`,
  `loyaltyd_intents{program="${theirs}",status="parked"} 1`,
  `loyaltyd_intents{status="${mark}, program=\\"${ours}\\"",program="${theirs}"} 1`,
  `loyaltyd_intents{status="{program=",program="${theirs}",of="${ours}"} 1`,
  `loyaltyd_${mark}_total 1`,
  '',
].join('\n');

let door: OperatorsDoor;
/** Of what was set aside. */
let quarantined: number;

const reasonOf = (word: string): { reason: string } => ({ reason: `${word}: it must be` });

/** What is of a program, with a word in all of it. */
async function plantProgram(program: string, word: string): Promise<void> {
  const fields = { 'data.program': program, 'data.memberId': `${word}-1`, source: `/${word}` };
  const enrolment = changed(own(enrolled), { ...fields, 'data.person.firstName': word });
  const sale = { 'data.purchaseId': `${word}-p`, 'data.storeId': `${word}-store`, 'data.memberId': `${word}-2` };
  const merge = { ...changed(own('loyalty.member.merged.v1'), { ...fields, 'data.absorbed': [`${word}-0`] }) };
  for (const event of [enrolment, changed(own(completed), { ...fields, ...sale }), merge]) {
    await door.ingest(sent(event));
  }
  await door.ingest(sent(changed(own(completed), { ...fields, ...broken })));
  await door.sql(
    `UPDATE intent_standing SET currency = $1, amount = 0.07, code = $2 WHERE program_id = $3`,
    ...[word.slice(0, 3), word, program],
  );
  await act(`/pauses`, { program, operation: 'reward', ...reasonOf(word) });
  await act('/jobs', { kind: 'replay', id: `${word}-replays`, query: { program }, dryRun: true, ...reasonOf(word) });
  for (const kind of ['reread', 'export', 'reconcile']) {
    await act('/jobs', { kind, id: `${word}-${kind}s`, program, ...reasonOf(word) });
  }
  await act('/jobs', { kind: 'erase', id: `${word}-erasures`, program, memberId: `${word}-1`, ...reasonOf(word) });
  const schedule = { at: '2027-01-01T00:00:00Z', select: { memberId: `${word}-1` }, dryRun: true };
  await act('/jobs', { kind: 'schedule', id: `${word}-schedules`, program, ...schedule, ...reasonOf(word) });
  await act(`/members/${program}/${word}-1/unmask`, reasonOf(word));
  await act(`/members/${program}/${word}-1/card-links`, reasonOf(word));
  await act(`/jobs/${word}-exports/pause`, reasonOf(word));
}

/** As an admin of all programs. */
async function act(path: string, body: object): Promise<void> {
  const { status, text } = await door.send('admin', { method: 'POST', url: `/api/v1${path}`, body });
  if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
}

/** What is of several programs, or of none that is known. */
async function plantWhole(): Promise<void> {
  const word = `${mark}-all`;
  await act('/pauses', { operation: 'issue', ...reasonOf(word) });
  await act('/jobs', { kind: 'replay', id: `${word}-replays`, query: {}, dryRun: true, ...reasonOf(word) });
  await act('/jobs', { kind: 'export', id: `${word}-exports`, ...reasonOf(word) });
  await act('/jobs', { kind: 'provision', id: `${word}-provisionings`, ...reasonOf(word) });
  const [aside] = await door.sql<{ id: number }>(
    `SELECT min(quarantine_id) AS id FROM quarantine WHERE state = 'open'`,
  );
  await act(`/quarantine/${aside?.id}/discard`, reasonOf(word));
  await act('/jobs', { kind: 'discard', id: `${word}-discards`, query: {}, ...reasonOf(word) });
  await door.sql(`
    INSERT INTO provisioned (brand_id, program_id, kind, type_id, name, version, step_id, action, state, content, at)
    VALUES ('101', '2002', 'template', '', '${mark}', 1, '00000000-0000-4000-8000-000000000001', 'create', 'unknown',
      '{"name": "${mark}"}', '2026-11-21T12:00:00Z')`);
}

/** Every job has done something, and says what after whose it is; exports can be read. */
async function workJobs(): Promise<void> {
  await door.sql(`UPDATE job SET report = jsonb_build_object('of', job_id), error = job_id`);
  await door.sql(
    `INSERT INTO job_line (job_id, ordinal, data) SELECT job_id, 1, jsonb_build_object('of', job_id) FROM job`,
  );
  await door.sql(`UPDATE job SET lines = 1`);
  await door.sql(`
    UPDATE job SET cursor = jsonb_build_object('kind', 'counting', 'digest', '', 'after', NULL, 'extent',
      jsonb_build_object('program', program_id, 'from', 0, 'before', 9000000000000, 'upTo', 9000000000000))
    WHERE kind = 'export'`);
}

beforeAll(async () => {
  door = await OperatorsDoor.open({ limits, metrics });
  await plantProgram(theirs, mark);
  await plantProgram(ours, sign);
  await plantProgram('till-club', `${sign}-till`);
  await plantWhole();
  await workJobs();
  const [newest] = await door.sql<{ id: number }>('SELECT max(quarantine_id) AS id FROM quarantine');
  quarantined = newest?.id ?? 0;
});

afterAll(() => door.close());

/** What every table holds, by its name. */
async function contents(): Promise<Readonly<Record<string, string>>> {
  const tables = await door.sql<{ name: string }>(
    `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`,
  );
  const union = tables.map(
    ({ name }) => `SELECT '${name}' AS name, md5(string_agg(t::text, '|' ORDER BY t::text)) AS rows FROM ${name} t`,
  );
  const found = await door.sql<{ name: string; rows: string }>(union.join(' UNION ALL '));
  return Object.fromEntries(found.map(({ name, rows }) => [name, rows]));
}

interface Tried {
  /** Below `/api/v1`; of probes as it is. */
  readonly path: string;
  readonly body?: object;
  /** What comes back; 403 of a route that is about all programs is not said. */
  readonly status: number;
  /** Only a token of this limit is asked with. */
  readonly limit?: keyof typeof limits;
  /** What of the route takes more than the route. */
  readonly role?: Role;
}

const read = (...paths: readonly string[]): Tried[] => paths.map((path) => ({ path, status: 200 }));
const hidden = (path: string, ...bodies: readonly object[]): Tried[] =>
  (bodies.length === 0 ? [{}] : bodies).map((body) => ({ path, body: { ...reasonOf('guess'), ...body }, status: 404 }));

/** Of jobs: of the other program, and of all of them. */
const foreignJobs = [
  ...['replays', 'rereads', 'schedules', 'erasures', 'exports', 'reconciles'].map((name) => `${mark}-${name}`),
  ...['replays', 'exports', 'provisionings', 'discards'].map((name) => `${mark}-all-${name}`),
].map((id) => `/jobs/${id}`);

const foreignIntents = [
  `${theirs}~${mark}-1~1`,
  `${theirs}%7E${mark}-1%7E1`,
  `tea%2Dclub~${mark}-1~1`,
  `tea%252Dclub%7E${mark}-1%7E1`,
];
const foreignMembers = [`/members/${theirs}/${mark}-1`, `/members/tea%2Dclub/${mark}-1`];
const absent = (paths: readonly string[], below = ''): Tried[] =>
  paths.map((path) => ({ path: `${path}${below}`, status: 404 }));
const refused = (paths: readonly string[], below: string, body: object = {}): Tried[] =>
  paths.flatMap((path) => hidden(`${path}${below}`, body));

const intentPaths = foreignIntents.map((id) => `/intents/${id}`);
const foreign = { program: theirs };
const schedule = { at: '2027-01-01T00:00:00Z', select: { status: 'ACTIVE' } };

/** By route: what a token of ours tries to come by what is theirs. Routes that are about all programs need none. */
const tried: Readonly<Record<string, readonly Tried[]>> = {
  'get /jobs': read('/jobs', '/jobs?kind=replay', '/jobs?kind=provision'),
  'post /jobs': [
    ...['reread', 'export', 'reconcile'].flatMap((kind) => hidden('/jobs', { ...foreign, kind })),
    ...hidden('/jobs', { ...foreign, ...schedule, kind: 'schedule' }),
    ...hidden('/jobs', { ...foreign, kind: 'erase', memberId: `${mark}-1` }).map((attempt) => ({
      ...attempt,
      role: 'admin' as const,
    })),
    { path: '/jobs', body: { kind: 'export', id: `${mark}-exports`, program: ours }, status: 409 },
    { path: '/jobs', body: { kind: 'export', id: `${mark}-all-exports`, program: ours }, status: 409 },
    { path: '/jobs', body: { kind: 'export' }, status: 400, limit: 'two' },
    { path: '/jobs', body: { kind: 'provision', program: ours }, status: 403 },
    ...['resubmit', 'discard'].map((kind) => ({
      ...{ path: '/jobs', body: { kind, query: {}, ...reasonOf(sign) }, status: 403 },
    })),
    {
      path: '/jobs',
      body: { kind: 'reread-topic', topic: 'anything', from: '2026-11-21T00:00:00Z', ...reasonOf(sign) },
      status: 403,
    },
    ...hidden(
      '/jobs',
      { kind: 'replay', query: foreign },
      { kind: 'replay', query: `program=${theirs}` },
      { kind: 'replay', query: { q: foreignIntents[0] } },
      { kind: 'replay', query: { program: ours, q: foreignIntents[0] } },
      { kind: 'replay', id: `${mark}-replays`, query: foreign },
    ),
    ...hidden(
      '/jobs',
      ...[foreign, { q: foreignIntents[0] }, { program: ours, q: foreignIntents[0] }].flatMap((query) => [
        { kind: 'resolve', query, as: 'delivered' },
        { kind: 'cancel', query },
        { kind: 'correct', query, sendAs: { path: 'amount', as: 'text' } },
        { kind: 'settle', query, list: 'member,receipt,amount,type\nm,r,1.00,31' },
        { kind: 'ask', query },
      ]),
    ),
    ...['replays', 'all-replays'].map((name) => ({
      path: '/jobs',
      body: { kind: 'replay', id: `${mark}-${name}`, query: { program: ours }, ...reasonOf('guess') },
      status: 409,
    })),
    ...[
      { query: { memberId: `${mark}-1` }, status: 422, limit: 'one' as const },
      { query: {}, status: 400, limit: 'two' as const },
    ].map(({ query, ...attempt }) => ({
      ...{ path: '/jobs', body: { kind: 'replay', query, ...reasonOf('guess') } },
      ...attempt,
    })),
  ],
  'get /jobs/{id}/items': [
    ...absent(foreignJobs, '/items?requests=true'),
    ...read(`/jobs/${sign}-replays/items?requests=true`),
  ],
  'post /jobs/{id}/start': refused(foreignJobs, '/start'),
  'get /jobs/{id}': [...absent(foreignJobs), ...read(`/jobs/${sign}-reconciles`)],
  'get /jobs/{id}/lines': [
    ...absent(foreignJobs, '/lines'),
    ...read(...['reconciles', 'exports'].map((name) => `/jobs/${sign}-${name}/lines`)),
  ],
  ...Object.fromEntries(
    ['pause', 'resume', 'cancel'].map((steering) => [
      `post /jobs/{id}/${steering}`,
      refused(foreignJobs, `/${steering}`),
    ]),
  ),
  'get /audit': read('/audit?limit=500', `/audit?action=pause.set`, '/audit?actor=the%20admin'),
  'get /groups': read('/groups'),
  'get /intents': read(
    '/intents',
    `/intents?program=${theirs}`,
    `/intents?memberId=${mark}-1`,
    `/intents?purchaseId=${mark}-p`,
    `/intents?store=${mark}-store`,
    `/intents?source=%2F${mark}`,
    '/intents?status=parked',
    `/intents?status=parked&code=${mark}`,
    `/intents?q=${mark}-1`,
    `/intents?q=${foreignIntents[0]}`,
  ),
  'get /intents/count': read('/intents/count', `/intents/count?program=${theirs}`, `/intents/count?memberId=${mark}-1`),
  'get /intents/values': read(
    ...['status', 'operation', 'program', 'store', 'source', 'reason', 'code', 'fingerprint'].map(
      (of) => `/intents/values?of=${of}`,
    ),
    `/intents/values?of=store&program=${theirs}`,
    `/intents/values?of=store&memberId=${mark}-1`,
  ),
  'get /intents/download': read(
    '/intents/download',
    '/intents/download?format=jsonl',
    `/intents/download?program=${theirs}`,
    `/intents/download?q=${foreignIntents[0]}`,
  ),
  'get /intents/in-doubt': [
    ...absent([`/intents/in-doubt?program=${theirs}`, `/intents/in-doubt?q=${foreignIntents[0]}`]),
    ...read(`/intents/in-doubt?program=${ours}`),
  ],
  'get /search': read(
    ...[`${mark}-1`, `${mark}-p`, `${mark}-store`, `${mark}-replays`, `${mark}-all-replays`, mark].map(
      (word) => `/search?q=${word.toUpperCase()}`,
    ),
    `/search?q=${sign}-1`,
  ),
  'get /intents/{id}': [...absent(intentPaths), ...read(`/intents/${ours}~${sign}-1~1`)],
  'post /intents/{id}/replay': refused(intentPaths, '/replay', { force: false }),
  'post /intents/{id}/cancel': refused(intentPaths, '/cancel'),
  'post /intents/{id}/correct': refused(intentPaths, '/correct', { patch: { amount: '1.00' } }),
  'post /intents/{id}/resolve': refused(intentPaths, '/resolve', { as: 'delivered' }),
  'get /members/{program}/{memberId}': [...absent(foreignMembers), ...read(`/members/${ours}/${sign}-1`)],
  'get /members/{program}/{memberId}/partner': absent(foreignMembers, '/partner'),
  'post /members/{program}/{memberId}/card-links': refused(foreignMembers, '/card-links'),
  'post /members/{program}/{memberId}/unmask': refused(foreignMembers, '/unmask'),
  'get /passes': [{ path: `/passes?program=${theirs}`, status: 404 }],
  'get /pauses': read('/pauses'),
  'get /pauses/waiting': [
    { path: `/pauses/waiting?program=${theirs}&operation=reward`, status: 404 },
    { path: '/pauses/waiting?operation=issue', status: 404, limit: 'one' },
    { path: '/pauses/waiting?operation=issue', status: 400, limit: 'two' },
  ],
  'post /pauses': [
    ...hidden('/pauses', foreign, { ...foreign, operation: 'reward' }),
    { path: '/pauses', body: {}, status: 400, limit: 'two' },
  ],
  'delete /pauses': [
    ...hidden('/pauses', { ...foreign, operation: 'reward' }),
    { path: `/pauses?program=${theirs}&operation=reward`, status: 404 },
    { path: '/pauses?operation=issue', status: 404, limit: 'one' },
    { path: '/pauses?operation=issue', status: 400, limit: 'two' },
  ],
  'get /events/{source}/{id}': read(
    ...[0, 1, 2, 3].map((offset) => `/events/anything/0-${offset}`),
    `/events/%2F${mark}/${mark}`,
  ),
  'get /series': read('/series', `/series?program=${theirs}`),
  'get /stats': read('/stats'),
  // Streams end with their reader: what one is sent has a test of its own.
  'get /stream': [],
  'get /me': read('/me'),
  'get /metrics': read('/metrics'),
};

interface Described {
  /** `get /intents` */
  readonly route: string;
  readonly method: RawRequest['method'];
  readonly prefix: string;
  readonly path: string;
  readonly role: Role | null;
  readonly programs: 'none' | 'filtered' | 'named' | 'whole';
}

/** Of the document that is served. */
async function describedRoutes(): Promise<Described[]> {
  const { text } = await door.send('viewer', { method: 'GET', url: '/api/openapi.json' });
  const { paths } = JSON.parse(bodyOf(text)) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  };
  return Object.entries(paths).flatMap(([path, { servers, ...operations }]) =>
    Object.entries(operations).map(([verb, operation]) => {
      const said = operation as { readonly 'x-role': Role | null; readonly 'x-programs': Described['programs'] };
      const method = verb.toUpperCase() as RawRequest['method'];
      const prefix = servers === undefined ? '/api/v1' : '';
      return { route: `${verb} ${path}`, method, prefix, path, role: said['x-role'], programs: said['x-programs'] };
    }),
  );
}

/** A request with names in it that nobody has, in place of what is theirs. */
function madeUp(attempt: Tried): Tried {
  const text = JSON.stringify(attempt)
    .replaceAll(mark, 'nobody')
    .replace(/tea(?=(?:-|%2D|%252D)club)/g, 'no');
  return JSON.parse(text) as Tried;
}

/** Without what differs each time. */
const bodyOf = (text: string): string => text.slice(text.indexOf('\n') + 1).replace(/urn:loyaltyd:request:[^"]+/, '');

/** Every role that may use it; the answer is without a trace of the other program, and nothing is changed by it. */
async function triesOf(
  { method, prefix, role }: Described,
  { path, body, limit, role: needed }: Tried,
): Promise<{ status: number; text: string }[]> {
  const held = roles.slice(roles.indexOf(needed ?? role ?? 'viewer'));
  const methods = method === 'GET' ? (['GET', 'HEAD'] as const) : [method];
  const answers = [];
  for (const name of limit === undefined ? ['one', 'two'] : [limit]) {
    for (const each of held) {
      for (const verb of methods) {
        const asked = { method: verb, url: `${prefix}${path}`, ...(body === undefined ? {} : { body }) };
        answers.push(await door.send(`${each}.${name}`, asked));
      }
    }
  }
  return answers;
}

describe('a token that is limited to programs', () => {
  let described: Described[];

  beforeAll(async () => {
    described = await describedRoutes();
  });

  /** What all tables held after the attempt before, within one test. */
  let held: Awaited<ReturnType<typeof contents>> | null = null;

  beforeEach(() => {
    held = null;
  });

  const problemsOf = async (route: Described, attempt: Tried): Promise<string[]> => {
    const before = held ?? (await contents());
    const answers = await triesOf(route, attempt);
    const problems = answers.flatMap(({ status, text }) => [
      ...(status === attempt.status ? [] : [`answers ${status}, not ${attempt.status}: ${text}`]),
      ...(traces.test(text) ? [`lets something out: ${text}`] : []),
    ]);
    const isAbsent = attempt.status === 404;
    const ofNobody = isAbsent ? await triesOf(route, madeUp(attempt)) : answers;
    const isTold = answers.some(({ text }, index) => bodyOf(text) !== bodyOf(ofNobody[index]?.text ?? ''));
    const after = await contents();
    held = after;
    const tables = Object.keys(after).filter((name) => after[name] !== before[name]);
    const changes = tables.map((name) => `changes ${name}`);
    const difference = isTold ? [`answers another than what nobody has: ${ofNobody[0]?.text}`] : [];
    return [...problems, ...difference, ...changes].map((problem) => `${route.method} ${attempt.path} ${problem}`);
  };

  it('finds every route that is served in the table of what is tried', () => {
    const open = described.filter(({ programs }) => programs === 'filtered' || programs === 'named');
    expect(open.map(({ route }) => route).toSorted()).toEqual(Object.keys(tried).toSorted());
    expect(described.filter(({ programs }) => programs === 'none').every(({ role }) => role === null)).toBe(true);
  });

  it('is shown nothing of another program by any route, and changes nothing of it', async () => {
    const problems = [];
    for (const route of described) {
      for (const attempt of tried[route.route] ?? []) problems.push(...(await problemsOf(route, attempt)));
    }
    expect(problems).toEqual([]);
  });

  it('is refused by what is about all programs, and told why', async () => {
    const problems = [];
    const whole = described.filter(({ programs }) => programs === 'whole');
    for (const route of whole) {
      const named = { id: route.path.startsWith('/quarantine') ? String(quarantined) : `${sign}-replay` };
      const path = route.path.replace('{id}', named.id).replace('{stepId}', '00000000-0000-4000-8000-000000000001');
      const body = route.method === 'POST' ? reasonOf('guess') : undefined;
      problems.push(...(await problemsOf(route, { path, status: 403, ...(body && { body }) })));
    }
    expect([whole.length, problems]).toEqual([16, []]);
    expect((await door.send('viewer.two', { method: 'GET', url: '/api/v1/doctor' })).text).toContain(
      'This is about all programs at once. Your token is limited to coffee-club, till-club.',
    );
  });

  it('is told nothing of what is of no program, beside what is of its own', async () => {
    const ask = async (token: string, path: string): Promise<unknown> =>
      JSON.parse(bodyOf((await door.send(token, { method: 'GET', url: `/api/v1${path}` })).text));
    const nothing = { quarantine: [], processes: [], recovery: null };
    expect(await ask('admin.two', '/stats')).toMatchObject(nothing);
    expect(await ask('viewer', '/stats')).not.toMatchObject(nothing);
  });

  it.each([
    '/audit',
    `/jobs/${sign}-exports/lines`,
    '/jobs',
    '/jobs?kind=erase',
    '/groups',
    '/intents?status=parked',
    '/intents',
    `/members/${ours}/${sign}-1`,
    '/pauses',
    '/jobs?kind=replay',
    '/stats',
  ])('is shown what is of its own: %s', async (path) => {
    const { status, text } = await door.send('viewer.one', { method: 'GET', url: `/api/v1${path}` });
    expect([status, text]).toEqual([200, expect.stringContaining(sign)]);
    // Its name may only be in what is shown to a token that is limited to it, too.
    expect(text).not.toContain(`${sign}-till`);
    const both = await door.send('viewer.two', { method: 'GET', url: `/api/v1${path}` });
    expect(both.text).toContain(path.includes(sign) ? sign : `${sign}-till`);
  });

  it('is shown the series of its own alone', async () => {
    const { text } = await door.send('viewer.one', { method: 'GET', url: '/metrics' });
    expect(
      text
        .slice(text.indexOf('\n') + 1)
        .trim()
        .split('\n'),
    ).toEqual(metrics.split('\n').slice(0, 2));
    expect((await door.send('viewer', { method: 'GET', url: '/metrics' })).text).toContain(metrics);
  });

  it('is shown that everything is paused, but neither by whom nor why', async () => {
    const { text } = await door.send('viewer.one', { method: 'GET', url: '/api/v1/pauses' });
    const { items } = JSON.parse(bodyOf(text)) as { readonly items: readonly PauseView[] };
    const shown = items.map(({ program, operation, by, reason }) => ({ program, operation, by, reason }));
    expect(shown).toContainEqual({ program: null, operation: 'issue', by: '•••', reason: '•••' });
    expect(shown).toHaveLength(2);
  });

  it.each([
    ['GET', '/passes?program=chai-club', undefined],
    ['POST', '/jobs', { kind: 'reconcile' }],
    ['POST', '/jobs', { kind: 'reconcile', adopt: true }],
    ['POST', '/jobs', { kind: 'schedule', ...schedule }],
  ] as const)('has no part in passes that are another program’s as well: %s %s', async (method, path, body) => {
    const before = await contents();
    const asked = {
      method,
      url: `/api/v1${path}`,
      ...(body && { body: { ...body, program: 'chai-club', ...reasonOf('guess') } }),
    };
    const { status, text } = await door.send('admin.shared', asked);
    expect([status, text]).toEqual([403, expect.stringContaining('limited-to-programs')]);
    expect(text).not.toMatch(traces);
    expect(await contents()).toEqual(before);
  });

  it('means its only program where it names none, and leaves its limits in the audit', async () => {
    const body = { kind: 'export', ...reasonOf('all of ours') };
    const made = await door.send('operator.one', { method: 'POST', url: '/api/v1/jobs', body });
    const { id, program } = JSON.parse(bodyOf(made.text)) as JobView;
    expect(program).toBe(ours);
    expect((await door.newestAction()).detail).toMatchObject({ job: id, program: ours, limitedTo: [ours] });
  });
});

/** Reads what a stream tells. */
class StreamReader {
  text = '';
  private constructor(private readonly stop: () => void) {}

  static async open(token: string, lastId?: string): Promise<StreamReader> {
    const headers = { authorization: `Bearer ${token}`, ...(lastId !== undefined && { 'last-event-id': lastId }) };
    const asked = request(`${await door.url}/api/v1/stream`, { headers });
    const reader = new StreamReader(() => asked.destroy());
    asked.on('error', () => undefined);
    asked.on('response', (answer) => {
      reader.text += JSON.stringify(answer.headers);
      answer.on('data', (chunk: Buffer) => (reader.text += chunk.toString()));
      answer.on('error', () => undefined);
    });
    asked.end();
    return reader;
  }

  close(): void {
    this.stop();
  }
}

it('a stream tells a limited token of its own programs alone, from where it was before and as things happen', async () => {
  const viewers = [await StreamReader.open('viewer.one'), await StreamReader.open('viewer.two', '1')];
  for (const viewer of viewers) {
    await waitUntil(() => viewer.text.includes('event: pause'), { what: 'a greeting', timeoutMs: 60_000 });
  }
  for (const [program, word] of [
    [theirs, mark],
    [ours, sign],
  ]) {
    await act('/pauses', { program, operation: 'transaction', ...reasonOf(`${word}-live`) });
    await act('/jobs', { kind: 'replay', id: `${word}-live`, query: { program }, ...reasonOf(`${word}-live`) });
    await act(`/jobs/${word}-live/pause`, reasonOf(`${word}-live`));
  }
  for (const viewer of viewers) {
    const isTold = (): boolean =>
      ['action', 'job', 'pause', 'stats'].every((name) =>
        new RegExp(`event: ${name}\\n(?:id: \\d+\\n)?data: [^\\n]*${sign}-live`).test(viewer.text),
      );
    await waitUntil(isTold, { what: `what is ours: ${viewer.text}`, timeoutMs: 60_000 });
    viewer.close();
    expect(viewer.text).not.toMatch(traces);
  }
  expect(viewers[1]?.text).toContain(`${sign}-till-exports`);
});
