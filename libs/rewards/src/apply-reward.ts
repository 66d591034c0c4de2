import type { WalletPass } from '#contracts';
import type { RewardCommand } from '#intents/core';
import type { PlannedRequest, Dialect } from '#gateway/core';
import { readPass, programPath, queryText, segment, passProof, operation } from '#gateway/core';

/** No body is sent. */
export function planReward(command: RewardCommand, dialect: Dialect): PlannedRequest {
  const reward = segment('rewardId', command.rewardId);
  const path = `${programPath(command)}/rewards/${reward}/wallet-pass${identification(command, dialect)}`;
  return { method: 'POST', path, body: null };
}

function identification(command: RewardCommand, { reward }: Dialect): string {
  const { uniqueId, passId, serialNumber } = command;
  if (reward.identifyBy === 'passId' && passId !== undefined) {
    return queryText([[reward.passIdParameter, passId, 'passId']]);
  }
  if (reward.identifyBy === 'serialNumber' && serialNumber !== undefined) {
    return queryText([[reward.serialNumberParameter, serialNumber, 'serialNumber']]);
  }
  return queryText([['unique_id', uniqueId, 'uniqueId']]);
}

/** 4.6 Apply a reward to a wallet pass. */
export const applyReward = operation<RewardCommand, WalletPass>({
  plan: planReward,
  read: readPass,
  needsPass: true,
  proof: passProof,
});
