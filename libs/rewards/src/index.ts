export { rewardEventTypes } from './reward-event-types.js';
