import { eventType } from '#events/core';

import {
  memberEnrolledSchema,
  memberMergedSchema,
  memberOptedOutSchema,
  memberUpdatedSchema,
  OPT_OUT_SCOPES,
  SMS_SUBSCRIPTIONS,
} from './member-events.js';
import { routeEnrolled } from './route-enrolled.js';
import { routeMerged, routeOptedOut, routeUnmerged } from './route-leaving.js';
import { routeUpdated } from './route-updated.js';

/** What a profile shows operators, and what of it they may correct. */
const profile = {
  shown: { person: 'names', tier: 'tier', smsSubscription: { oneOf: SMS_SUBSCRIPTIONS }, pass: 'pass' },
  correctable: [
    'person',
    'message',
    ...['seat', 'row', 'section', 'gate', 'profileImage'].map((name) => `pass.${name}`),
  ],
} as const;

const enrolled = eventType({
  name: 'loyalty.member.enrolled.v1',
  subject: 'members',
  schema: memberEnrolledSchema,
  shown: profile.shown,
  correctable: [...profile.correctable, 'ipAddress'],
  route: routeEnrolled,
  changesProfile: true,
  attributes: ({ personAttributes }) => personAttributes,
  sample: {
    program: 'coffee-club',
    memberId: 'm_81273',
    person: {
      firstName: 'Ada',
      lastName: 'L',
      email: 'ada@example.org',
      phone: '+4915112345678',
      birthDate: '1990-02-01',
    },
    tier: 'basic',
    groupId: 'g-1',
    message: 'Welcome',
    smsSubscription: 'promotional',
    pass: { points: 0, expiryDate: '2027-12-31' },
    metaData: { shopify: '7741' },
    ipAddress: '203.0.113.7',
  },
});

const updated = eventType({
  name: 'loyalty.member.updated.v1',
  subject: 'members',
  schema: memberUpdatedSchema,
  ...profile,
  route: routeUpdated,
  changesProfile: true,
  attributes: ({ personAttributes }) => personAttributes,
  sample: {
    program: 'coffee-club',
    memberId: 'm_81273',
    changed: ['tier', 'pass.points'],
    tier: 'gold',
    pass: { points: 120 },
    person: {},
    groupId: null,
    message: null,
    smsSubscription: null,
    metaData: {},
  },
});

const optedOut = eventType({
  name: 'loyalty.member.opted-out.v1',
  subject: 'members',
  schema: memberOptedOutSchema,
  shown: { scope: { oneOf: OPT_OUT_SCOPES }, erase: 'flag' },
  route: routeOptedOut,
  changesProfile: true,
  sample: { program: 'coffee-club', memberId: 'm_81273', scope: 'sms', erase: false },
});

const merged = eventType({
  name: 'loyalty.member.merged.v1',
  rule: null,
  subject: 'members',
  schema: memberMergedSchema,
  shown: { absorbed: { items: 'id' } },
  route: routeMerged,
  changesProfile: true,
  sample: { program: 'coffee-club', memberId: 'm_81273', absorbed: ['m_90001'] },
});

const unmerged = eventType({
  name: 'loyalty.member.unmerged.v1',
  rule: null,
  subject: 'members',
  schema: memberMergedSchema,
  shown: { absorbed: { items: 'id' } },
  route: routeUnmerged,
  changesProfile: true,
  sample: { program: 'coffee-club', memberId: 'm_81273', absorbed: ['m_90001'] },
});

/** What shops say of their members. */
export const memberEventTypes = [enrolled, updated, optedOut, merged, unmerged] as const;
