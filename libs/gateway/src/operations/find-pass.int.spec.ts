import { closeStubs, startStub } from '../../test/partner-stub.js';
import { answerJson } from '../../test/scripted-server.js';

afterEach(closeStubs);

const reference = { brandId: '101', programId: '2001', uniqueId: 'm_1', uniqueIdKey: 'memberId' };
const options = { timeoutMs: 5_000 };
const place = '/brands/101/programs/2001/wallets';

const pass = (passId: number, memberId: string | null): object => ({
  passId,
  serialNumber: `s-${passId}`,
  templateId: 11,
  passdata: memberId === null ? {} : { metaData: { memberId } },
});

describe('findPass (4.1)', () => {
  it.each([
    [undefined, '?unique_id=m_1'],
    [{ parameter: 'email', value: 'a+b@x.org' }, '?email=a%2Bb%40x.org'],
    [{ parameter: 'person_id', value: 'p/1' }, '?person_id=p%2F1'],
  ] as const)('asks by %j', async (by, query) => {
    const stub = await startStub(answerJson(200, pass(7, 'm_1')));
    const lookup = by === undefined ? reference : { ...reference, by };
    const report = await stub.gateway.partner.findPass(lookup, options);
    expect(report).toMatchObject({ kind: 'found', pass: { passId: 7 } });
    expect(stub.calls).toMatchObject([{ method: 'GET', path: `${place}${query}` }]);
  });

  it.each<[said: object, dialect: Readonly<Record<string, unknown>>, kind: string]>([
    [{ statusCode: 'DELETED', status: 400 }, {}, 'absent'],
    [{ statusCode: 'expired' }, {}, 'absent'],
    [{ statusCode: 'ACTIVE', status: 200 }, {}, 'found'],
    [{}, {}, 'found'],
    [{ isDead: true }, {}, 'found'],
    [{ statusCode: 'GONE' }, { status: { dead: ['GONE'] } }, 'absent'],
    [{ status: 400 }, { status: { dead: ['400'] } }, 'absent'],
    [{ statusCode: 'DELETED' }, { status: { dead: [] } }, 'found'],
  ])('a pass is no card any more by the status that the dialect says: %j, %j', async (said, dialect, kind) => {
    const stub = await startStub(answerJson(200, { ...pass(7, 'm_1'), ...said }), dialect);
    const report = await stub.gateway.partner.findPass(reference, options);
    expect(report).toMatchObject(kind === 'absent' ? { kind, isDead: true } : { kind, pass: { passId: 7 } });
  });

  it('beside a card what is none any more is not looked at', async () => {
    const dead = { ...pass(6, 'm_1'), statusCode: 'EXPIRED' };
    const stub = await startStub(answerJson(200, [dead, pass(7, 'm_1')]));
    expect(await stub.gateway.partner.findPass(reference, options)).toMatchObject({
      kind: 'found',
      pass: { passId: 7 },
    });
    const gone = await startStub(answerJson(200, [dead, { ...dead, passId: 5 }]));
    expect(await gone.gateway.partner.findPass(reference, options)).toMatchObject({ kind: 'absent', isDead: true });
  });

  it("a pass found by email that carries another member's id is not ours", async () => {
    const stub = await startStub(answerJson(200, pass(7, 'm_2')));
    const lookup = { ...reference, by: { parameter: 'email', value: 'a@x.org' } } as const;
    expect(await stub.gateway.partner.findPass(lookup, options)).toMatchObject({ code: 'foreign-pass' });
  });

  describe.each([
    { parameter: 'email', value: 'family@x.org' },
    { parameter: 'person_id', value: 'p1' },
  ] as const)('by $parameter, which a household may share', (by) => {
    const read = async (body: unknown, dialect = {}): Promise<string> => {
      const stub = await startStub(answerJson(200, body), dialect);
      const report = await stub.gateway.partner.findPass({ ...reference, by }, options);
      return report.kind === 'failed' ? report.code : report.kind;
    };
    const alike = [pass(7, null), [pass(7, null)], { data: [pass(7, null)] }, { ...pass(7, null), passdata: null }];

    it.each(alike)('a pass that does not say whose it is proves nothing: %j', async (body) => {
      expect(await read(body)).toBe('foreign-pass');
      expect(await read(body, { lookup: { trustSharedWithoutMetaData: true } })).toBe('found');
    });

    it('the one that is ours is found among those of the household', async () => {
      expect(await read([pass(1, 'm_2'), pass(2, 'm_1'), pass(3, null)])).toBe('found');
      expect(await read([pass(1, 'm_2'), pass(3, null)])).toBe('foreign-pass');
      expect(await read({ ...pass(1, null), unique_id: 'm_1' })).toBe('found');
      expect(await read({ ...pass(1, null), unique_id: 'm_2' })).toBe('foreign-pass');
    });
  });

  it.each([
    [{ ...reference, uniqueId: '' }],
    [{ ...reference, by: { parameter: 'email', value: '' } } as const],
    [{ ...reference, programId: '..' }],
  ])('sends nothing that is no question: %j', async (lookup) => {
    const stub = await startStub(answerJson(200, pass(7, 'm_1')));
    expect(await stub.gateway.partner.findPass(lookup, options)).toMatchObject({
      kind: 'failed',
      stage: 'request',
      code: 'invalid-request',
    });
    expect(stub.calls).toEqual([]);
  });

  it('a status whose number is another than the dialect says raises an alarm', async () => {
    const stub = await startStub(answerJson(200, { ...pass(7, 'm_1'), statusCode: 'ACTIVE', status: 300 }));
    expect(await stub.gateway.partner.findPass(reference, options)).toMatchObject({ shapeAlarms: ['status'] });
    const other = await startStub(answerJson(200, { ...pass(7, 'm_1'), statusCode: 'ACTIVE', status: 300 }), {
      status: { numbers: { ACTIVE: 300 } },
    });
    expect(await other.gateway.partner.findPass(reference, options)).toMatchObject({ shapeAlarms: [] });
  });
});

describe('several matches', () => {
  const ours = pass(1, 'm_1');
  const later = pass(2, 'm_1');
  const foreign = pass(3, 'm_2');
  const unsaid = pass(4, null);
  const dead = { ...pass(5, 'm_1'), statusCode: 'DELETED', status: 400 };

  it.each([
    ['one of ours', 'ours', [ours], 1],
    ['ours among others', 'ours', [foreign, ours, unsaid, 'odd'], 1],
    ['two of ours', 'ours', [ours, later], 'several-passes'],
    ['two of ours', 'first', [foreign, later, ours], 2],
    ['none of ours', 'ours', [foreign, unsaid], 'foreign-pass'],
    ['one that does not say', 'ours', [unsaid], 4],
    ['one of another', 'first', [foreign], 'foreign-pass'],
    ['one of ours', 'failed', [ours], 'several-passes'],
    ['nothing readable', 'ours', ['odd'], 'not-a-pass'],
    ['an empty list', 'ours', [], 'empty-list'],
    ["ours is gone, another member's is not", 'ours', [dead, foreign], 'absent'],
    ["ours is gone, another member's is not", 'first', [foreign, dead], 'absent'],
    ['one of two is gone', 'ours', [dead, ours, foreign], 1],
  ] as const)('%s, read as `%s`', async (...[, severalMatches, list, expected]) => {
    for (const answer of [list, { data: list }]) {
      const stub = await startStub(answerJson(200, answer), { lookup: { severalMatches } });
      const report = await stub.gateway.partner.findPass(reference, options);
      const result = report.kind === 'found' ? report.pass.passId : report.kind === 'failed' ? report.code : 'absent';
      expect(result).toBe(expected);
    }
  });

  it('an empty list may mean that there is no pass', async () => {
    const stub = await startStub(answerJson(200, { data: [] }), { lookup: { emptyList: 'absent' } });
    expect(await stub.gateway.partner.findPass(reference, options)).toMatchObject({ kind: 'absent' });
  });

  it('a list under another status than success proves nothing', async () => {
    const stub = await startStub(answerJson(500, [ours]));
    expect(await stub.gateway.partner.findPass(reference, options)).toMatchObject({ kind: 'failed', code: 'http-500' });
  });
});
