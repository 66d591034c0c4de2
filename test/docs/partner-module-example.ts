import { Injectable, Module } from '@nestjs/common';
import { DialectRegistry, GatewayModule, Partner } from '#gateway';
import { SystemClock } from '#platform';
import { Settings, SettingsModule } from './example-settings.js';

const gateway = GatewayModule.forRootAsync({
  imports: [SettingsModule],
  inject: [Settings],
  useFactory: ({ partnerUrl, clientId, clientSecret }: Settings) => ({
    ...{ baseUrl: `${partnerUrl}/brands`, authUrl: partnerUrl, scope: 'admin' },
    readCredentials: () => ({ clientId, clientSecret }),
    ...{ dialects: new DialectRegistry(), clock: new SystemClock() },
  }),
});

@Injectable()
export class Passes {
  constructor(private readonly partner: Partner) {}

  async of(memberId: string): Promise<string> {
    const pass = { brandId: '101', programId: '2001', uniqueId: memberId, uniqueIdKey: 'memberId' };
    const report = await this.partner.findPass(pass, { timeoutMs: 10_000 });
    return report.kind === 'found' ? String(report.pass.serialNumber) : report.kind;
  }
}

@Module({ imports: [gateway], providers: [Passes] })
export class PassesModule {}
