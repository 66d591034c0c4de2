import type { PassContent } from '../owed/partner-command.js';
import type { SentContent } from './compare-pass.js';
import { compareFound, comparePass, differingPaths, expectedPass } from './compare-pass.js';

const pass = {
  templateTierId: 1,
  passdata: { points: 100, gate: 'A', metaData: { memberId: 'm_1', vip: { a: 1, b: 2 } } },
};

describe('comparePass', () => {
  it.each<[string, PassContent, string]>([
    ['all other', { tierId: 2, passdata: { points: 120 } }, 'differs'],
    ['all the same', { tierId: 1, passdata: { points: 100 } }, 'as-wanted'],
    ['half of it', { tierId: 2, passdata: { points: 100 } }, 'inconclusive'],
    ['clearing what is there', { passdata: { gate: null } }, 'differs'],
    ['clearing what is not there', { passdata: { seat: null }, groupId: null }, 'as-wanted'],
    ['metaData, whatever the order of keys', { passdata: { metaData: { vip: { b: 2, a: 1 } } } }, 'as-wanted'],
    ['metaData of another value', { passdata: { metaData: { vip: { a: 1 } } } }, 'differs'],
    ['a person, which no pass shows', { person: { firstName: 'Ada' }, tierId: 1 }, 'inconclusive'],
    ['an SMS subscription, which no pass shows', { smsSubscription: 900 }, 'inconclusive'],
    ['nothing at all', {}, 'inconclusive'],
  ])('%s', (_name, content, expected) => {
    expect(comparePass(content, pass)).toBe(expected);
  });
});

describe('a pass that an enrolment has found', () => {
  const issued = {
    ...pass,
    templateId: 11,
    currentMessage: 'hello',
    passdata: { ...pass.passdata, expiryDate: '2027-01-01' },
  };

  it.each<[string, PassContent, string]>([
    ['all that it says', { person: { firstName: 'Ada' }, tierId: 1, message: 'hello', templateId: 11 }, 'as-told'],
    ['a date in another form', { passdata: { expiryDate: '2027-01-01T00:00:00.000Z' } }, 'as-told'],
    ['another tier', { tierId: 2, message: 'hello' }, 'other'],
    ['another message', { tierId: 1, message: 'welcome' }, 'other'],
    ['nothing of what it says', { groupId: 'family' }, 'unclear'],
    ['no consent, as no pass does', { tierId: 1, smsSubscription: 200 }, 'unclear'],
    ['another tier, whatever the consent', { tierId: 2, smsSubscription: 200 }, 'other'],
    ['nothing of a person alone', { person: { firstName: 'Ada' } }, 'unclear'],
  ])('shows %s', (_name, content, expected) => {
    expect(compareFound(content, issued)).toBe(expected);
  });
});

const reference = { brandId: '101', programId: '2001', uniqueId: 'm', uniqueIdKey: 'memberId' };

function issue(content: PassContent, certainty: SentContent['certainty'] = 'sent'): SentContent {
  return { operation: 'issue', certainty, command: { ...reference, operation: 'issue', content } };
}

function update(content: PassContent, certainty: SentContent['certainty'] = 'sent'): SentContent {
  const command = { ...reference, operation: 'update-via-workflow', workflowId: '78', content } as const;
  return { operation: 'update-via-workflow', certainty, command };
}

function schedule(content: PassContent): SentContent {
  const command = { ...reference, operation: 'schedule-update', scheduledName: 's', content } as const;
  return { operation: 'schedule-update', certainty: 'sent', command };
}

const sale = (certainty: SentContent['certainty'] = 'sent'): SentContent => ({
  operation: 'transaction',
  certainty,
  command: null,
});

const begun = issue({ tierId: 1, groupId: 'g', passdata: { points: 5, gate: 'A' } });
const all = { templateTierId: 1, groupId: 'g', 'passdata.points': 5, 'passdata.gate': 'A' };

describe('what a pass must show', () => {
  it.each<[string, readonly SentContent[], object]>([
    ['nothing, of which nothing is known', [], {}],
    ['what was issued', [begun], all],
    ['what was changed since', [begun, update({ tierId: 2 })], { ...all, templateTierId: 2 }],
    ['what was cleared since', [begun, update({ groupId: null })], { ...all, groupId: null }],
    ['of a new enrolment only what it says', [begun, issue({ tierId: 2 })], { templateTierId: 2 }],
    ['not the points, after a sale', [begun, sale()], { ...all, 'passdata.points': undefined }],
    [
      'not the points, after what may have been a sale',
      [begun, sale('unsure')],
      { ...all, 'passdata.points': undefined },
    ],
    ['the points, after a sale that was cancelled', [begun, sale('not-sent')], all],
    [
      'the points that were set after a sale',
      [begun, sale(), update({ passdata: { points: 9 } })],
      { ...all, 'passdata.points': 9 },
    ],
    ['not what may have been changed', [begun, update({ tierId: 2 }, 'unsure')], { ...all, templateTierId: undefined }],
    ['what a cancelled update did not change', [begun, update({ tierId: 2 }, 'not-sent')], all],
    ['not what is scheduled', [begun, schedule({ tierId: 2 })], { ...all, templateTierId: undefined }],
    ['nothing, after a change that nobody can read', [begun, { ...update({}), command: null }], {}],
    [
      'no message, image, person or metaData',
      [issue({ message: 'hi', person: { firstName: 'Ada' }, passdata: { profileImage: 'x', metaData: { a: 'b' } } })],
      {},
    ],
  ])('%s', (_what, sent, expected) => {
    const known = Object.entries(expected).filter(([, value]) => value !== undefined);
    expect(Object.fromEntries(expectedPass(sent))).toEqual(Object.fromEntries(known));
  });
});

describe('where a pass differs', () => {
  const expected = expectedPass([
    issue({ tierId: 1, groupId: null, passdata: { points: 5, expiryDate: '2027-12-31', optOut: false } }),
  ]);

  it('is told by path', () => {
    const pass = { templateTierId: 2, groupId: 'g', passdata: { points: 6, expiryDate: '2028-01-01', optOut: true } };
    expect(differingPaths(expected, pass)).toEqual([
      'templateTierId',
      'groupId',
      'passdata.optOut',
      'passdata.points',
      'passdata.expiryDate',
    ]);
  });

  it.each([
    ['it shows what was sent', { templateTierId: 1, passdata: { points: 5, expiryDate: '2027-12-31', optOut: false } }],
    ['it does not show the fields', { serialNumber: 's' }],
    ['it writes a date in another way', { passdata: { expiryDate: '2027-12-31T00:00:00Z' } }],
    ['what was cleared is null', { groupId: null }],
  ])('is nowhere when %s', (_when, pass) => {
    expect(differingPaths(expected, pass)).toEqual([]);
  });

  it('is not told of a number that came as its digits', () => {
    const large = expectedPass([issue({ tierId: 12 })]);
    expect(differingPaths(large, { templateTierId: '12' })).toEqual([]);
    expect(differingPaths(large, { templateTierId: '13' })).toEqual(['templateTierId']);
  });
});
