import { Body, Controller, Post, Query } from '@nestjs/common';
import { type RewardQuery, rewardQuerySchema } from '../contract/queries.js';
import { EffectWriter } from '../effects/effect-writer.js';
import { type Call, CurrentCall } from '../http/call.js';
import { PartnerEndpoint } from '../http/partner-endpoint.js';
import { refuse } from '../http/refusal.js';
import { Catalogue } from '../seed/catalogue.js';

/** 4.6: applies a reward to a wallet pass. */
@Controller('brands/:brandId/programs/:programId/rewards/:targetId/wallet-pass')
export class ApplyRewardController {
  constructor(
    private readonly catalogue: Catalogue,
    private readonly effects: EffectWriter,
  ) {}

  @Post()
  @PartnerEndpoint('reward')
  apply(
    @CurrentCall() call: Call,
    @Query({ schema: rewardQuerySchema }) query: RewardQuery,
    @Body() body: unknown,
  ): Promise<object> {
    const program = this.catalogue.program(call);
    const reward = program.rewards.get(call.targetId) ?? refuse(404, call.wording.noSuch('reward', call.targetId));
    if (body !== undefined && body !== null) refuse(400, call.wording.invalid('body', 'none is expected'));
    const handle = {
      uniqueId: query.unique_id,
      serialNumber: query.serialNumber,
      passId: query.passId === undefined ? undefined : Number(query.passId),
    };
    return this.effects.apply({ operation: 'reward', call, program, handle, reward, body: null });
  }
}
