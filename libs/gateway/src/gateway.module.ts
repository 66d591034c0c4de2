import { ConfigurableModuleBuilder, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { createGateway, type Gateway, type GatewayOptions } from './create-gateway.js';
import { PARTNER } from './partner.js';

const GATEWAY = Symbol('Gateway');

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<GatewayOptions>()
  .setClassMethodName('forRoot')
  .build();

/**
 * Provides `PARTNER`, by `forRoot(GatewayOptions)` or `forRootAsync({ imports, inject, useFactory })`. Its connections end
 * when the application shuts down, after whatever imports it.
 */
@Module({
  providers: [
    { provide: GATEWAY, inject: [MODULE_OPTIONS_TOKEN], useFactory: createGateway },
    { provide: PARTNER, inject: [GATEWAY], useFactory: (gateway: Gateway) => gateway.partner },
  ],
  exports: [PARTNER],
})
export class GatewayModule extends ConfigurableModuleClass implements OnApplicationShutdown {
  constructor(@Inject(GATEWAY) private readonly gateway: Gateway) {
    super();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.gateway.close();
  }
}
