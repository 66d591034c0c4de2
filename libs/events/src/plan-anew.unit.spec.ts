import type { ProgramsFile } from '#contracts';
import { parseProgramsFile } from '#contracts';
import type { PartnerCommand, PassContent, ProfileMarks } from '#intents/core';
import { lastEnrolment, noMarks, onTopOf } from '#intents/core';

import { headersText } from './core/record-headers.js';
import { eventPlanner, planAnew } from './plan-anew.js';
import type { SourceEventName } from './source-events.js';
import { decodeSourceRecord, routeSourceEvent, SOURCE_EVENT_SAMPLES } from './source-events.js';

const now = Date.parse('2026-11-21T09:30:00Z');
const headers = headersText({ 'content-type': 'application/cloudevents+json' });

interface File {
  readonly programId?: number;
  readonly type?: number;
  readonly purchases?: string;
  readonly more?: string;
}

function fileOf({ programId = 2001, type = 31, purchases, more = '' }: File = {}): ProgramsFile {
  const completed = `completed: { transactionTypeId: ${type}, attributes: { receipt: purchaseId }, uniqueAttribute: receipt }`;
  const voided = 'voided: { transactionTypeId: 33 }';
  const text = `programs: { coffee-club: { brandId: 101, programId: ${programId}, currency: EUR, tiers: { basic: 1, gold: 2 },
    rewards: { free-coffee: 9001 }, purchases: { ${purchases ?? `${completed}, ${voided}`} }${more === '' ? '' : `, ${more}`} } }`;
  const parsed = parseProgramsFile(text);
  if (!parsed.ok) throw new Error(parsed.errors.join('\n'));
  return parsed.value;
}

const recordOf = (name: SourceEventName, data: object = {}) => {
  const event = {
    ...{ specversion: '1.0', id: 'e1', source: '/till', type: name, time: '2026-11-21T10:15:04+01:00' },
    data: { ...SOURCE_EVENT_SAMPLES[name], ...data },
  };
  return { headers, value: JSON.stringify(event) };
};

/** What the event is recorded as by a file. */
function recorded(record: ReturnType<typeof recordOf>, file: ProgramsFile): PartnerCommand {
  const read = { value: Buffer.from(record.value), headers: { 'content-type': 'application/cloudevents+json' }, now };
  const decoded = decodeSourceRecord(read);
  const route = decoded.kind === 'event' ? routeSourceEvent(decoded.event, file) : decoded;
  const command = route.kind === 'routed' ? (route.intents[0] ?? route.cancels[0]?.ifTooLate)?.command : null;
  if (!command) throw new Error(JSON.stringify(route));
  return JSON.parse(JSON.stringify(command)) as PartnerCommand;
}

const replanned = (
  record: ReturnType<typeof recordOf>,
  command: PartnerCommand,
  file: ProgramsFile,
  marks: ProfileMarks | null = null,
): PartnerCommand => planAnew({ command, record, recordedAt: now, marks }, file);

const sale = recordOf('loyalty.purchase.completed.v1', { program: 'coffee-club' });

describe('what is planned anew', () => {
  it('is as if the event came now: type, attributes and their unique value, and where it goes', () => {
    const wrong = recorded(sale, fileOf({ type: 99 }));
    const mended = fileOf({
      programId: 2002,
      purchases:
        'completed: { transactionTypeId: 31, attributes: { till: { value: pos }, slip: purchaseId }, uniqueAttribute: slip, uniqueEnforced: true }',
    });
    expect(replanned(sale, wrong, mended)).toEqual(recorded(sale, mended));
    expect(replanned(sale, wrong, mended)).toMatchObject({ transactionTypeId: '31', programId: '2002' });
  });

  it('is the same by the same file', () => {
    for (const name of [
      'loyalty.purchase.completed.v1',
      'loyalty.purchase.voided.v1',
      'loyalty.reward.granted.v1',
      'loyalty.member.enrolled.v1',
    ] as const) {
      const record = recordOf(name, { program: 'coffee-club' });
      const command = recorded(record, fileOf());
      expect(replanned(record, command, fileOf())).toEqual(command);
    }
  });

  it('keeps what was found out when it was recorded: whose it is, and how much was left', () => {
    const record = recordOf('loyalty.purchase.voided.v1', { program: 'coffee-club' });
    const late = { ...recorded(record, fileOf()), uniqueId: 'somebody-else', amount: '-12.50' } as PartnerCommand;
    const mended = fileOf({
      purchases: 'completed: { transactionTypeId: 31 }, voided: { transactionTypeId: 44, sign: 1 }',
    });
    expect(replanned(record, late, mended)).toMatchObject({
      ...{ transactionTypeId: '44', uniqueId: 'somebody-else', amount: '12.50' },
    });
  });

  it('keeps what the file does not map any more, and goes where its program is', () => {
    const command = recorded(sale, fileOf());
    expect(replanned(sale, command, fileOf({ programId: 2002, purchases: '' }))).toEqual({
      ...command,
      programId: '2002',
    });
    const grant = recordOf('loyalty.reward.granted.v1', { program: 'coffee-club' });
    const reward = recorded(grant, fileOf());
    expect(replanned(grant, reward, fileOf({ more: 'templateId: 5' }))).toEqual(reward);
    expect(replanned({ headers: '{}', value: 'no event' }, command, fileOf({ type: 32 }))).toEqual(command);
  });

  it('says of a pass what was judged when it was recorded, with the ids of now', () => {
    const record = recordOf('loyalty.member.enrolled.v1', { program: 'coffee-club', tier: 'gold' });
    const enrolled = recorded(record, fileOf()) as Extract<PartnerCommand, { operation: 'issue' }>;
    const { person: _person, ...content } = enrolled.content;
    const shortened = { ...enrolled, content };
    const mended = fileOf({ programId: 2002, more: 'uniqueIdKey: customer' });
    const tiers = { ...mended.programs['coffee-club']!, tiers: { basic: 1, gold: 7 } };
    const planned = replanned(record, shortened, { ...mended, programs: { 'coffee-club': tiers } });
    expect(planned).toMatchObject({ programId: '2002', uniqueIdKey: 'customer', content: { tierId: 7 } });
    expect((planned as typeof enrolled).content.person).toBeUndefined();
    expect((planned as typeof enrolled).content.passdata?.metaData).toMatchObject({ customer: enrolled.uniqueId });
    expect((planned as typeof enrolled).content.passdata?.metaData).not.toHaveProperty('memberId');
  });
});

describe('what was recorded without a call', () => {
  type Unmapped = Parameters<ReturnType<typeof eventPlanner>['planUnmapped']>[0];
  const recordedAs = (record: ReturnType<typeof recordOf>, as: Partial<Unmapped> = {}): Unmapped => ({
    ...{ operation: 'transaction', memberId: 'buyer', amount: '47.50', marks: null, record, recordedAt: now },
    ...as,
  });
  const mapped = (unmapped: Unmapped, purchases: string, more?: string): PartnerCommand | null =>
    eventPlanner(fileOf({ purchases, ...(more !== undefined && { more }) }), '').planUnmapped(unmapped);
  const program = 'coffee-club';
  const voided = recordOf('loyalty.purchase.voided.v1', { program });
  const revoked = recordOf('loyalty.reward.revoked.v1', { program });
  const optedOut = recordOf('loyalty.member.opted-out.v1', { program, scope: 'program' });
  const workflow = "update: { via: workflow, workflowId: '78' }";

  it('is what the file maps: of whose it is, and of what was left, with the sign that the mapping says', () => {
    const attributes = 'attributes: { receipt: purchaseId }, uniqueAttribute: receipt';
    expect(mapped(recordedAs(voided), `voided: { transactionTypeId: 33, sign: -1, ${attributes} }`)).toMatchObject({
      ...{ operation: 'transaction', transactionTypeId: '33', amount: '-47.50', uniqueId: 'buyer', programId: '2001' },
      uniqueAttribute: { name: 'receipt' },
    });
    expect(mapped(recordedAs(voided), 'voided: { transactionTypeId: 33, sign: 1 }')).toMatchObject({ amount: '47.50' });
    const byEmail = 'lookup: { by: email }, uniqueIdKey: email';
    expect(
      mapped(recordedAs(voided, { memberId: 'b@example.org' }), 'voided: { transactionTypeId: 33 }', byEmail),
    ).toMatchObject({ uniqueId: 'b@example.org', by: { parameter: 'email', value: 'b@example.org' } });
  });

  it('of a correction goes up or down as the total does', () => {
    const total = (minor: number) => ({ minor, currency: 'EUR', digits: 2 });
    const correction = (to: number) =>
      recordOf('loyalty.purchase.corrected.v1', { program, previousTotal: total(6000), total: total(to) });
    const corrected = 'corrected: { transactionTypeId: 35 }';
    const amountOf = (to: number) => mapped(recordedAs(correction(to), { amount: '10.00' }), corrected);
    expect([amountOf(5000), amountOf(7000)]).toMatchObject([{ amount: '-10.00' }, { amount: '10.00' }]);
  });

  it('of a void of a refund, of a revocation and of an opt-out is what stands for that', () => {
    const ofRefund = recordOf('loyalty.purchase.voided.v1', { program, original: { refundId: 'R-1' } });
    expect(mapped(recordedAs(ofRefund), 'refundVoided: { transactionTypeId: 34 }')).toMatchObject({
      ...{ transactionTypeId: '34', amount: '47.50' },
    });
    const reward = { operation: 'reward', amount: null } as const;
    expect(mapped(recordedAs(revoked, reward), '', 'revoked: { id: 9003, pointsDelta: 10 }')).toMatchObject({
      ...{ operation: 'reward', rewardId: '9003', uniqueId: 'buyer' },
    });
    const update = { operation: 'update-via-workflow', amount: null } as const;
    expect(mapped(recordedAs(optedOut, update), '', workflow)).toMatchObject({
      ...{ operation: 'update-via-workflow', workflowId: '78', uniqueId: 'buyer' },
      content: { smsSubscription: 900, passdata: { optOut: true, metaData: { memberId: 'buyer' } } },
    });
  });

  it('of a pass that an enrolment has found is what that says the newest of', () => {
    const metaData = { plan: 'yearly' };
    const enrolled = recordOf('loyalty.member.enrolled.v1', { program, tier: 'gold', message: 'hello', metaData });
    const at = (time: string) => [{ source: null, sequence: null, timeMs: Date.parse(time) }];
    const [before, own, newer] = ['2026-11-01T10:00:00Z', '2026-11-21T09:15:04Z', '2026-11-21T09:20:00Z'].map(at);
    const contentOf = (...marks: readonly (readonly [string, ReturnType<typeof at> | undefined])[]) => {
      const known = new Map([[lastEnrolment, own!], ...marks.map(([path, mark]) => [path, mark!] as const)]);
      const unmapped = { operation: 'update-via-workflow', amount: null, marks: known } as const;
      const command = mapped(recordedAs(enrolled, unmapped), '', workflow);
      return command !== null && 'content' in command ? command.content : null;
    };
    const whole = { tierId: 2, message: 'hello', passdata: { metaData: { plan: 'yearly', memberId: 'buyer' } } };
    expect(contentOf()).toMatchObject(whole);
    expect(contentOf(['tierId', own], ['message', before], ['#digest', before])).toMatchObject(whole);
    expect(contentOf(['tierId', newer])).not.toHaveProperty('tierId');
    expect(contentOf(['#digest', newer])?.passdata?.metaData).toEqual({ memberId: 'buyer' });
    expect(contentOf(['*', newer])).toBeNull();
    const notLast = { operation: 'update-via-workflow', amount: null } as const;
    expect(mapped(recordedAs(enrolled, notLast), '', workflow)).toBeNull();
  });

  it('is of what was left where a void names no total', () => {
    const bare = recordOf('loyalty.purchase.voided.v1', { program, total: null });
    const file = 'voided: { transactionTypeId: 33, sign: -1 }';
    expect(mapped(recordedAs(bare), file)).toMatchObject({ amount: '-47.50' });
    expect(mapped(recordedAs(bare, { amount: null }), file)).toBeNull();
  });

  it('stays without one where the file maps none, another kind, or what it would set aside', () => {
    const update = { operation: 'update-via-workflow', amount: null } as const;
    const byEmail = recordOf('loyalty.member.opted-out.v1', { program, scope: 'email' });
    const yen = { minor: 4750, currency: 'JPY', digits: 0 };
    const abroad = recordOf('loyalty.purchase.voided.v1', { program, total: yen });
    const file = 'voided: { transactionTypeId: 33 }';
    expect([
      mapped(recordedAs(voided), ''),
      mapped(recordedAs(revoked, { operation: 'reward' }), ''),
      mapped(recordedAs(optedOut, update), ''),
      mapped(recordedAs(byEmail, update), '', workflow),
      mapped(recordedAs(abroad), file),
      mapped(recordedAs(recordOf('loyalty.purchase.voided.v1', { program: 'toString' })), file),
      mapped(recordedAs({ headers: '{}', value: 'no event' }), file),
    ]).toEqual(Array.from({ length: 7 }, () => null));
  });
});

describe('what is said of a pass', () => {
  const person = { firstName: 'Ada', birthDate: '1990-02-01', nick: 'Countess' };
  const enrolment = recordOf('loyalty.member.enrolled.v1', { program: 'coffee-club', person, tier: 'gold' });
  const update = recordOf('loyalty.member.updated.v1', {
    ...{ program: 'coffee-club', changed: ['person.firstName', 'person.birthDate', 'tier'], person, tier: 'gold' },
  });
  const workflow = "update: { via: workflow, workflowId: '78' }";
  const attributes = (text: string, more = ''): ProgramsFile =>
    fileOf({ more: `${workflow}, personAttributes: { ${text} }${more === '' ? '' : `, ${more}`}` });
  const at = (time: string): ProfileMarks => new Map([[lastEnrolment, markAt(time)]]);
  const markAt = (time: string) => [{ source: null, sequence: null, timeMs: Date.parse(time) }];
  const own = at('2026-11-21T09:15:04Z');
  const contentOf = (command: PartnerCommand): PassContent => ('content' in command ? command.content : {});
  const personOf = (
    record: typeof enrolment,
    [before, after]: readonly [ProgramsFile, ProgramsFile],
    marks: ProfileMarks | null = own,
  ): PassContent['person'] => contentOf(replanned(record, recorded(record, before), after, marks)).person;
  const [none, birth] = [attributes(''), attributes('birth: person.birthDate')];

  it('has the attributes that the file maps, by their names of now', () => {
    const renamed = attributes('birthday: person.birthDate');
    for (const record of [enrolment, update]) {
      expect(personOf(record, [birth, renamed])).toEqual({ firstName: 'Ada', birthday: '1990-02-01' });
      expect(personOf(record, [birth, none])).toEqual({ firstName: 'Ada' });
      expect(personOf(record, [birth, attributes('birth: { from: person.birthDate, required: true }')])).toEqual(
        personOf(record, [birth, birth]),
      );
    }
    expect(personOf(enrolment, [birth, attributes('birth: person.nick')])).toMatchObject({ birth: 'Countess' });
  });

  it('has an attribute that no file mapped by then, where an enrolment says it and nobody has spoken of it', () => {
    const added = { firstName: 'Ada', birth: '1990-02-01' };
    expect(personOf(enrolment, [none, birth])).toEqual(added);
    expect(personOf(update, [none, birth], null)).toEqual({ firstName: 'Ada' });
    const isLeftOut = (marks: ProfileMarks | null): void => {
      expect(personOf(enrolment, [none, birth], marks)).toEqual({ firstName: 'Ada' });
    };
    isLeftOut(null);
    isLeftOut(at('2026-11-21T10:00:00Z'));
    isLeftOut(new Map([...own, ['person.birth', markAt('2026-11-01T10:00:00Z')]]));
    // By a name that no file knows any more somebody may have said it.
    isLeftOut(new Map([...own, ['person.dateOfBirth', markAt('2026-11-21T10:00:00Z')]]));
    expect(personOf(enrolment, [none, birth], noMarks)).toEqual(added);
  });

  it('lacks what was overtaken when it was recorded', () => {
    const { person: _person, ...content } = contentOf(recorded(update, birth));
    const shortened = { ...recorded(update, birth), content } as PartnerCommand;
    expect(contentOf(replanned(update, shortened, attributes('birthday: person.birthDate'))).person).toBeUndefined();
  });

  it('is kept where nothing else would be left of it', () => {
    const record = recordOf('loyalty.member.updated.v1', {
      ...{ program: 'coffee-club', changed: ['person.birthDate'], person },
    });
    expect(personOf(record, [birth, none])).toEqual({ birth: '1990-02-01' });
  });

  it('has the template of its tier, or of the program, also where there was none', () => {
    const templateOf = (record: typeof enrolment, file: ProgramsFile, without: readonly string[] = []): unknown => {
      const command = recorded(record, none);
      const content = Object.entries(contentOf(command)).filter(([name]) => !without.includes(name));
      const shortened = { ...command, content: Object.fromEntries(content) } as PartnerCommand;
      return contentOf(replanned(record, shortened, file)).templateId;
    };
    const tiered = attributes('', 'tierTemplates: { gold: 12 }');
    expect([enrolment, update].map((record) => templateOf(record, tiered))).toEqual([12, 12]);
    expect([enrolment, update].map((record) => templateOf(record, tiered, ['tierId']))).toEqual([undefined, undefined]);
    const untiered = recordOf('loyalty.member.enrolled.v1', { program: 'coffee-club', person, tier: null });
    expect(templateOf(untiered, attributes('', 'templateId: 11'))).toBe(11);
  });
});

it('regression: what an enrolment says of a pass that it has found has the ids of now', () => {
  const enrolled = recordOf('loyalty.member.enrolled.v1', { program: 'coffee-club', tier: 'gold' });
  const file = fileOf({ more: 'update: { via: workflow, workflowId: 78 }' });
  const of = { memberId: 'm', amount: null, recordedAt: now, marks: noMarks, record: enrolled } as const;
  const update = eventPlanner(file, 'aa').planUnmapped({ ...of, operation: 'update-via-workflow' });
  expect(update).toMatchObject({ content: { tierId: 2 } });
  const club = file.programs['coffee-club']!;
  const renumbered = { ...club, tiers: { ...club.tiers, gold: 6 } };
  const planned = replanned(enrolled, update!, { ...file, programs: { 'coffee-club': renumbered } });
  expect(planned).toEqual({ ...update, content: { ...(update as { content: object }).content, tierId: 6 } });
});

describe('on top of another plan', () => {
  const base = recorded(sale, fileOf({ type: 99 }));
  const planned = recorded(sale, fileOf({ type: 31 }));

  it('stays what people have changed, path by path', () => {
    const current = { ...base, transactionDate: '2026-01-01T00:00:00.000Z' } as PartnerCommand;
    expect(onTopOf(planned, { base, current })).toEqual({ ...planned, transactionDate: '2026-01-01T00:00:00.000Z' });
    const corrected = { ...base, transactionTypeId: '32', attributes: {} } as PartnerCommand;
    expect(onTopOf(planned, { base, current: corrected })).toBeNull();
  });

  it('is nothing where the plan is the same, or leads to what it says already', () => {
    expect(onTopOf(base, { base, current: planned })).toBeNull();
    expect(onTopOf(planned, { base, current: planned })).toBeNull();
    expect(onTopOf(planned, { base, current: base })).toEqual(planned);
  });
});
