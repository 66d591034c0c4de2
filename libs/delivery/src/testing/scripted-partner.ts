import type { PartnerCommand } from '#domain';
import type { AttemptReport, CallOptions, LookupReport } from '#gateway';
import type { Clock } from '#platform';

import type { DeliveryPartner } from '../delivery-ports.js';
import { applied, lookup } from './engine-harness.js';

/** A call as the partner saw it. Epoch ms. */
interface SeenCall {
  readonly program: string;
  readonly uniqueId: string;
  readonly at: number;
}

/** A partner in memory that answers as told, after a while. Programs are told apart by their brand. */
export class ScriptedPartner implements DeliveryPartner {
  readonly calls: SeenCall[] = [];
  /** Most calls of one program under way at once. */
  readonly mostAtOnce = new Map<string, number>();
  latencyMs = 5;
  answer: (command: PartnerCommand) => AttemptReport<never> = () => applied as AttemptReport<never>;
  private readonly underWay = new Map<string, number>();

  constructor(private readonly clock: Clock) {}

  callsOf(program: string): SeenCall[] {
    return this.calls.filter((call) => call.program === program);
  }

  async findPass(): Promise<LookupReport> {
    await this.clock.sleep(this.latencyMs);
    return lookup('found');
  }

  async countPasses(): Promise<never> {
    throw new Error('nobody asks for a listing');
  }

  async issue(command: PartnerCommand, _options: CallOptions): Promise<AttemptReport<never>> {
    return this.take(command);
  }

  async runWorkflow(command: PartnerCommand, _options: CallOptions): Promise<AttemptReport<never>> {
    return this.take(command);
  }

  async scheduleUpdate(): Promise<never> {
    throw new Error('nothing is scheduled');
  }

  async applyReward(command: PartnerCommand, _options: CallOptions): Promise<AttemptReport<never>> {
    return this.take(command);
  }

  async createTransaction(command: PartnerCommand, _options: CallOptions): Promise<AttemptReport<never>> {
    return this.take(command);
  }

  private async take(command: PartnerCommand): Promise<AttemptReport<never>> {
    const { brandId: program, uniqueId } = command;
    this.calls.push({ program, uniqueId, at: this.clock.now() });
    const count = (this.underWay.get(program) ?? 0) + 1;
    this.underWay.set(program, count);
    this.mostAtOnce.set(program, Math.max(count, this.mostAtOnce.get(program) ?? 0));
    await this.clock.sleep(this.latencyMs);
    this.underWay.set(program, (this.underWay.get(program) ?? 0) - 1);
    return this.answer(command);
  }
}
