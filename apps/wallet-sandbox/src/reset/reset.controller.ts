import { Controller, HttpCode, Post } from '@nestjs/common';
import { FaultInjector } from '../faults/fault-injector.js';
import { PresetPasses } from '../presets/preset-passes.js';

/**
 * Back to the seed: its catalogue, its passes and no others, no schedules, no faults. No token is needed, and tokens stay
 * good.
 */
@Controller('__reset')
export class ResetController {
  constructor(
    private readonly faults: FaultInjector,
    private readonly presets: PresetPasses,
  ) {}

  @Post()
  @HttpCode(200)
  async reset(): Promise<{ readonly message: string }> {
    this.faults.reset();
    await this.presets.replant();
    return { message: 'The sandbox is as its seed left it' };
  }
}
