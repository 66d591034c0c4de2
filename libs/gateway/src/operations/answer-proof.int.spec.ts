import { attemptDialect, passCases, plainIds } from '../../test/attempt-cases.js';
import { closeStubs, startStub } from '../../test/partner-stub.js';
import { answer, answerJson, type Reply } from '../../test/scripted-server.js';
import type { AttemptReport } from '../port/call.js';

afterEach(closeStubs);

const options = { timeoutMs: 5_000 };
const caseOf = (section: string) => passCases.find((each) => each.section.startsWith(section))!;
const passSections = ['4.2', '4.3', '4.6'];
const sections = [...passSections, '4.4', '4.7'];

/** By the dialect's names of what each section's case calls. */
const operationOf: Readonly<Record<string, string>> = {
  '4.2': 'issue',
  '4.3': 'update-via-workflow',
  '4.4': 'schedule-update',
  '4.6': 'reward',
  '4.7': 'transaction',
};

async function call(
  section: string,
  reply: Reply,
  success: Readonly<Record<string, unknown>> = {},
): Promise<AttemptReport<unknown>> {
  const stub = await startStub(reply, { ...attemptDialect, success });
  return caseOf(section).call(stub.gateway.partner, plainIds, options);
}

async function meaning(...args: Parameters<typeof call>): Promise<string> {
  const { outcome, value } = await call(...args);
  expect(value === null).toBe(outcome.kind !== 'applied');
  return outcome.kind === 'applied' ? 'applied' : `${outcome.kind} ${outcome.code}`;
}

describe.each(sections)('%s: a success is applied by what it shows', (section) => {
  it.each([
    ['an empty object', {}],
    ['a status page', { status: 'maintenance' }],
    ['a refusal with a wrong status', { error: 'Validation failed', statusCode: 400 }],
    ['the proof in a wrapper', { data: caseOf(section).answer }],
  ])('%s proves nothing', async (_what, body) => {
    expect(await meaning(section, answerJson(200, body))).toBe('unknown unproven-200');
    expect(await meaning(section, answerJson(201, body))).toBe('unknown unproven-201');
  });

  it('a message alone is proof of a schedule, and of nothing else: it is all that is documented there', async () => {
    const expected = section === '4.4' ? 'applied' : 'unknown unproven-200';
    expect(await meaning(section, answerJson(200, { message: 'The schedule was created' }))).toBe(expected);
    expect(await meaning(section, answerJson(200, { message: 'Validation failed' }))).toBe('unknown unproven-200');
    expect(await meaning(section, answerJson(200, { message: ' ' }))).toBe('unknown unproven-200');
  });

  it('a list with the documented answer in it proves nothing', async () => {
    const reply = answerJson(200, [caseOf(section).answer]);
    expect(await meaning(section, reply)).toBe('unknown http-200-other-json');
    expect(await meaning(section, reply, { proof: { [operationOf[section]!]: 'object' } })).toBe(
      'unknown http-200-other-json',
    );
  });

  it.each([
    [200, 'applied'],
    [201, 'applied'],
    [202, 'unknown http-202'],
    [203, 'unknown http-203'],
    [206, 'unknown http-206'],
  ])('the documented answer with %d: %s', async (status, expected) => {
    expect(await meaning(section, answerJson(status, caseOf(section).answer))).toBe(expected);
  });

  it.each([
    ['documented', ['unknown unproven-200', 'unknown http-200-empty', 'unknown http-200-other-json']],
    ['object', ['applied', 'unknown http-200-empty', 'unknown http-200-other-json']],
    ['any', ['applied', 'applied', 'applied']],
  ])('the dialect may ask for less, by operation: %s', async (needed, expected) => {
    const success = { proof: { [operationOf[section]!]: needed } };
    const seen = [answerJson(200, {}), answer(200, ''), answerJson(200, []), answer(200, '<html>')];
    const read = await Promise.all(
      seen.map(async (reply) => {
        const { outcome } = await call(section, reply, success);
        return outcome.kind === 'applied' ? 'applied' : `${outcome.kind} ${outcome.code}`;
      }),
    );
    expect(read).toEqual([...expected, 'unknown http-200-not-json']);
    const other = operationOf[section] === 'reward' ? 'transaction' : 'reward';
    expect(await meaning(section, answerJson(200, {}), { proof: { [other]: needed } })).toBe('unknown unproven-200');
  });
});

describe('an enrolment or update of a member who is looked up by an email, which a household may share', () => {
  const me = { brandId: '101', programId: '2001', uniqueId: 'm_1', uniqueIdKey: 'memberId' } as const;
  const by = { parameter: 'email', value: 'family@example.org' } as const;
  const content = { person: { email: by.value } };

  it.each(['issue', 'issue-via-workflow', 'update-via-workflow'] as const)('%s', async (operation) => {
    const read = async (body: object, dialect = {}): Promise<string> => {
      const stub = await startStub(answerJson(200, { passId: 7, serialNumber: 's-7', ...body }), dialect);
      const { partner } = stub.gateway;
      const { outcome } =
        operation === 'issue'
          ? await partner.send({ ...me, by, operation, content }, options)
          : await partner.send({ ...me, by, operation, workflowId: '77', content }, options);
      return outcome.kind === 'applied' ? 'applied' : `${outcome.kind} ${outcome.code}`;
    };
    expect(await read({ passdata: { metaData: { memberId: 'm_1' } } })).toBe('applied');
    expect(await read({ passdata: { metaData: { memberId: 'm_2' } } })).toBe('unknown foreign-pass');
    expect(await read({ passdata: {} })).toBe('unknown unproven-200');
    expect(await read({ passdata: { metaData: { shopify: '1' } } })).toBe('unknown unproven-200');
    expect(await read({}, { lookup: { trustSharedWithoutMetaData: true } })).toBe('applied');
  });
});

it('the dialect says in which words a schedule is confirmed, and a success denied', async () => {
  const stub = await startStub(answerJson(200, { message: 'Planung steht' }), {
    schedule: { ...attemptDialect.schedule, confirmation: { pattern: 'steht' } },
    success: {
      denied: { pattern: 'fehlgeschlagen', flags: ['gelungen'], errors: ['fehler'], statusPattern: 'kaputt' },
    },
  });
  const read = async (body: unknown): Promise<string> => {
    stub.call = answerJson(200, body);
    return (await caseOf('4.4').call(stub.gateway.partner, plainIds, options)).outcome.kind;
  };
  const message = 'Planung steht';
  expect(await read({ message, success: false, error: 'x', status: 'failed' })).toBe('applied');
  const denials = [{ gelungen: false }, { fehler: 1 }, { status: 'kaputt' }, { message: `${message}, fehlgeschlagen` }];
  for (const denial of denials) expect(await read({ message, ...denial })).toBe('unknown');
});

it('an answer that denies its success proves nothing, however little is asked for', async () => {
  for (const needed of ['object', 'any']) {
    const success = { proof: { transaction: needed } };
    expect(await meaning('4.7', answerJson(200, { success: false }), success)).toBe('unknown unproven-200');
    expect(await meaning('4.7', answerJson(200, { success: true }), success)).toBe('applied');
  }
});

describe('4.7: the id of the transaction', () => {
  it.each([
    [7, 'applied'],
    ['7', 'applied'],
    ['T-7', 'applied'],
    [-7, 'applied'],
    [0, 'unknown unproven-200'],
    ['0', 'unknown unproven-200'],
    ['', 'unknown unproven-200'],
    [' ', 'unknown unproven-200'],
    [null, 'unknown unproven-200'],
    [false, 'unknown unproven-200'],
    [true, 'unknown unproven-200'],
    [{}, 'unknown unproven-200'],
    [[7], 'unknown unproven-200'],
  ])('%j: %s', async (transactionId, expected) => {
    expect(await meaning('4.7', answerJson(200, { transactionId }))).toBe(expected);
  });

  it('beyond 2^53', async () => {
    expect(await meaning('4.7', answer(200, '{"transactionId":9007199254740993}'))).toBe('applied');
  });
});

describe.each(passSections)('%s: the pass', (section) => {
  const me = plainIds.uniqueId;
  const pass = (metaData: unknown, ids: object = { passId: 7, serialNumber: 's-7' }): Reply =>
    answerJson(200, { ...ids, passdata: { metaData } });

  it.each([
    [{ passId: 7 }, 'applied'],
    [{ passId: '7' }, 'applied'],
    [{ serialNumber: 's-7' }, 'applied'],
    [{ serialNumber: 7 }, 'applied'],
    [{ passId: null, serialNumber: 's-7' }, 'applied'],
    [{ passId: 0, serialNumber: '' }, 'unknown unproven-200'],
    [{ passId: [], serialNumber: {} }, 'unknown unproven-200'],
    [{ templateId: 11, statusCode: 'ACTIVE' }, 'unknown unproven-200'],
  ])('named by %j: %s', async (ids, expected) => {
    expect(await meaning(section, answerJson(200, ids))).toBe(expected);
  });

  it.each([
    ['ours', { memberId: me }, ['applied', 'applied']],
    ['none', null, ['applied', 'unknown unproven-200']],
    ['empty', {}, ['applied', 'unknown unproven-200']],
    ['without our key', { shopify: '7741' }, ['applied', 'unknown unproven-200']],
    ['with our key and no value', { memberId: null }, ['applied', 'unknown unproven-200']],
    ["another member's", { memberId: 'm_2' }, ['unknown foreign-pass', 'unknown foreign-pass']],
    ['unreadable', 'm_81273', ['unknown foreign-pass', 'unknown foreign-pass']],
  ])('metaData that is %s, by default and where it is required', async (_what, metaData, expected) => {
    const strict = await meaning(section, pass(metaData), { requireMetaData: true });
    expect([await meaning(section, pass(metaData)), strict]).toEqual(expected);
  });

  it("another member's pass is no proof however little is asked for, and nothing of it is read", async () => {
    for (const needed of ['object', 'any']) {
      const report = await call(section, pass({ memberId: 'm_2' }), { proof: { [operationOf[section]!]: needed } });
      expect(report).toMatchObject({ outcome: { kind: 'unknown', code: 'foreign-pass' }, value: null });
    }
  });

  it('a member id that the partner keeps as a number is the same', async () => {
    const stub = await startStub(pass({ memberId: 81_273 }), attemptDialect);
    const ids = { ...plainIds, uniqueId: '81273' };
    expect((await caseOf(section).call(stub.gateway.partner, ids, options)).outcome.kind).toBe('applied');
    const other = { ...plainIds, uniqueId: '81274' };
    expect((await caseOf(section).call(stub.gateway.partner, other, options)).outcome).toMatchObject({
      code: 'foreign-pass',
    });
  });
});
