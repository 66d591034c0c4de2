import { HttpModule, HttpService } from '@nestjs/axios';
import { type DynamicModule, Module, type OnApplicationShutdown } from '@nestjs/common';
import { AuthorizedClient, Caller } from './call/caller.js';
import { PartnerWire } from './call/connections.js';
import { axiosOptions, HttpClient, PartnerHttp } from './call/http-client.js';
import { TokenEndpoint, TokenSource } from './call/token-source.js';
import { ConfigurableGateway, GATEWAY_OPTIONS, type GatewayOptions } from './gateway-options.js';
import { WalletPartner } from './operations/wallet-partner.js';
import { Partner } from './partner.js';

/** What the application has configured, and the way to the partner that follows from it. */
@Module({ providers: [PartnerWire], exports: [PartnerWire, GATEWAY_OPTIONS] })
class GatewaySettingsModule extends ConfigurableGateway {}

/**
 * Provides `Partner`, and the `HttpService` that its calls go through, by `forRoot(GatewayOptions)` or `forRootAsync({
 * imports, inject, useFactory })`. Its connections end when the application shuts down, after whatever imports it.
 */
@Module({
  providers: [
    TokenEndpoint,
    TokenSource,
    HttpClient,
    AuthorizedClient,
    Caller,
    WalletPartner,
    { provide: Partner, useExisting: WalletPartner },
  ],
  exports: [Partner, HttpModule],
})
export class GatewayModule implements OnApplicationShutdown {
  constructor(private readonly wire: PartnerWire) {}

  static forRoot(options: GatewayOptions): DynamicModule {
    return composed(GatewaySettingsModule.forRoot(options));
  }

  static forRootAsync(options: Parameters<typeof GatewaySettingsModule.forRootAsync>[0]): DynamicModule {
    return composed(GatewaySettingsModule.forRootAsync(options));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.wire.close();
  }
}

function composed(settings: DynamicModule): DynamicModule {
  const http = HttpModule.registerAsync({
    imports: [settings],
    inject: [PartnerWire, GATEWAY_OPTIONS],
    useFactory: axiosOptions,
    extraProviders: [{ provide: HttpService, useClass: PartnerHttp }],
  });
  return { module: GatewayModule, imports: [settings, http] };
}
