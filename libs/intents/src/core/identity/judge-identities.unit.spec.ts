import type { ClaimedIdentity, KnownIdentity } from './judge-identities.js';
import { judgeIdentities } from './judge-identities.js';

const place = { laneId: 7, seq: 3 };
const nothing = new Map<string, KnownIdentity>();

function event(key: string, contentMac = 'body'): ClaimedIdentity {
  return { event: { key, contentMac }, business: null };
}

function purchase(key: string, businessKey: string, contentMac = 'sale'): ClaimedIdentity {
  return { event: { key, contentMac: `${key}-body` }, business: { key: businessKey, contentMac, isEnrolment: false } };
}

function enrolment(key: string, contentMac: string): ClaimedIdentity {
  return { event: { key, contentMac }, business: { key: 'member-1', contentMac, isEnrolment: true } };
}

function stored(key: string, contentMac: string, at: KnownIdentity['place'] = place): Map<string, KnownIdentity> {
  return new Map([[key, { contentMac, place: at }]]);
}

describe('an event', () => {
  it('never seen is new', () => {
    expect(judgeIdentities([event('a')], nothing)).toEqual([{ kind: 'new' }]);
  });

  it('again with the same body is a duplicate', () => {
    expect(judgeIdentities([event('a')], stored('a', 'body'))).toEqual([{ kind: 'duplicate-event' }]);
  });

  it('again with another body is a conflict', () => {
    expect(judgeIdentities([event('a', 'other')], stored('a', 'body'))).toEqual([
      { kind: 'conflict', detail: 'event', of: null },
    ]);
  });

  it('whose body is forgotten is a duplicate, whatever it says', () => {
    const forgotten = new Map([['a', { contentMac: null, place }]]);
    expect(judgeIdentities([event('a'), event('a', 'other')], forgotten)).toEqual([
      { kind: 'duplicate-event' },
      { kind: 'duplicate-event' },
    ]);
  });

  it('is compared with earlier ones of its batch', () => {
    expect(judgeIdentities([event('a'), event('a'), event('a', 'other'), event('b')], nothing)).toEqual([
      { kind: 'new' },
      { kind: 'duplicate-event' },
      { kind: 'conflict', detail: 'event', of: null },
      { kind: 'new' },
    ]);
  });
});

describe('a business key', () => {
  it('again under a new event with the same content is a duplicate, and says of what', () => {
    expect(judgeIdentities([purchase('b', 'p1')], stored('p1', 'sale'))).toEqual([
      { kind: 'duplicate-business-key', of: place },
    ]);
  });

  it('whose content is forgotten is for a person under another event, and leaves nothing behind', () => {
    const forgotten = new Map([['p1', { contentMac: null, place }]]);
    expect(judgeIdentities([purchase('b', 'p1'), purchase('b', 'p1', 'other')], forgotten)).toEqual([
      { kind: 'forgotten' },
      { kind: 'forgotten' },
    ]);
    expect(judgeIdentities([{ ...event('v'), takesBack: ['none', 'p1'] }], forgotten)).toEqual([{ kind: 'forgotten' }]);
    expect(judgeIdentities([{ ...event('v'), takesBack: ['p1'] }], stored('p1', 'sale'))).toEqual([{ kind: 'new' }]);
  });

  it('again with other content is a conflict', () => {
    expect(judgeIdentities([purchase('b', 'p1', 'other')], stored('p1', 'sale'))).toEqual([
      { kind: 'conflict', detail: 'business-key', of: place },
    ]);
  });

  it('is compared within its batch', () => {
    expect(judgeIdentities([purchase('a', 'p1'), purchase('b', 'p1'), purchase('c', 'p1', 'other')], nothing)).toEqual([
      { kind: 'new' },
      { kind: 'duplicate-business-key', of: null },
      { kind: 'conflict', detail: 'business-key', of: null },
    ]);
  });

  it('is not looked at when the event itself was seen before', () => {
    const known = new Map([...stored('a', 'a-body'), ...stored('p1', 'another sale')]);
    expect(judgeIdentities([purchase('a', 'p1')], known)).toEqual([{ kind: 'duplicate-event' }]);
  });
});

describe('an enrolment', () => {
  it('again with other content has changed', () => {
    expect(judgeIdentities([enrolment('b', 'new address')], stored('member-1', 'old address'))).toEqual([
      { kind: 'enrolment-changed', of: place },
    ]);
    expect(judgeIdentities([enrolment('a', 'old'), enrolment('b', 'new')], nothing)).toEqual([
      { kind: 'new' },
      { kind: 'enrolment-changed', of: null },
    ]);
  });

  it('is compared with what the one before it said', () => {
    const said = ['old', 'new', 'new', 'old'].map((content, index) => enrolment(`e${index}`, content));
    expect(judgeIdentities(said, stored('member-1', 'old')).map(({ kind }) => kind)).toEqual([
      ...['duplicate-business-key', 'enrolment-changed', 'duplicate-business-key', 'enrolment-changed'],
    ]);
  });

  it('again with the same content is a duplicate', () => {
    expect(judgeIdentities([enrolment('b', 'same')], stored('member-1', 'same'))).toEqual([
      { kind: 'duplicate-business-key', of: place },
    ]);
  });
});

describe('a conflict leaves no identity behind', () => {
  it('so that its event id is free for the corrected resend', () => {
    const known = stored('p1', 'sale');
    expect(judgeIdentities([purchase('b', 'p1', 'wrong'), purchase('b', 'p2')], known)).toEqual([
      { kind: 'conflict', detail: 'business-key', of: place },
      { kind: 'new' },
    ]);
  });

  it('nor does it free or change the first one', () => {
    expect(judgeIdentities([event('a'), event('a', 'other'), event('a', 'other'), event('a')], nothing)).toEqual([
      { kind: 'new' },
      { kind: 'conflict', detail: 'event', of: null },
      { kind: 'conflict', detail: 'event', of: null },
      { kind: 'duplicate-event' },
    ]);
  });

  it('while a duplicate business key does remember its event', () => {
    const known = stored('p1', 'sale');
    const again: ClaimedIdentity = { ...purchase('b', 'p1'), event: { key: 'b', contentMac: 'changed' } };
    expect(judgeIdentities([purchase('b', 'p1'), again], known)).toEqual([
      { kind: 'duplicate-business-key', of: place },
      { kind: 'conflict', detail: 'event', of: null },
    ]);
  });

  it('and what is stored is not changed by judging', () => {
    const known = stored('p1', 'sale');
    judgeIdentities([event('a'), purchase('b', 'p2')], known);
    expect([...known.keys()]).toEqual(['p1']);
  });
});
