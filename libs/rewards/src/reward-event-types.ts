import { eventType } from '#events/core';

import { judgedGrant } from './grant.js';
import { rewardGrantedSchema, rewardRevokedSchema } from './reward-events.js';
import { routeGranted, routeRevoked } from './route-reward.js';

const granted = eventType({
  name: 'loyalty.reward.granted.v1',
  rule: 'rewards',
  subject: 'rewards',
  schema: rewardGrantedSchema,
  shown: { grantId: 'shop-id', reward: 'reward', purchaseId: 'shop-id', validUntil: 'time' },
  route: routeGranted,
  judged: judgedGrant,
  ownNumber: 'grantId',
  sample: {
    program: 'coffee-club',
    memberId: 'm_81273',
    grantId: 'g_771',
    reward: 'free-coffee',
    purchaseId: 'B07-118834',
    validUntil: '2030-12-24T23:59:59+01:00',
  },
});

const revoked = eventType({
  name: 'loyalty.reward.revoked.v1',
  rule: 'revoked',
  subject: 'rewards',
  schema: rewardRevokedSchema,
  shown: { grantId: 'shop-id' },
  correctable: ['reason'],
  route: routeRevoked,
  sample: {
    program: 'coffee-club',
    memberId: 'm_81273',
    grantId: 'g_771',
    reason: 'granted by mistake',
  },
});

/** What shops say of rewards. */
export const rewardEventTypes = [granted, revoked] as const;
