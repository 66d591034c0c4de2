import type { ProgramsFile } from '#contracts';
import { parseProgramsFile } from '#contracts';
import type { PartnerCommand } from '#intents/core';
import { onTopOf } from '#intents/core';

import { headersText } from './core/record-headers.js';
import { planAnew } from './plan-anew.js';
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

const replanned = (record: ReturnType<typeof recordOf>, command: PartnerCommand, file: ProgramsFile): PartnerCommand =>
  planAnew({ command, record, recordedAt: now }, file);

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
