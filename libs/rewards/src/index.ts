import { applyReward } from './apply-reward.js';

export { rewardEventTypes } from './reward-event-types.js';

/** How a reward is applied (partner-api.md 4.6). */
export const rewardCalls = { reward: applyReward } as const;
