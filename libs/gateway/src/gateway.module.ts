import {
  type DynamicModule,
  type FactoryProvider,
  Inject,
  Module,
  type ModuleMetadata,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { createGateway, type Gateway, type GatewayOptions } from './create-gateway.js';
import { PARTNER } from './partner.js';

const GATEWAY = Symbol('Gateway');

/** Like `GatewayOptions`, built from other providers. */
export interface GatewayAsyncOptions {
  readonly imports?: NonNullable<ModuleMetadata['imports']>;
  readonly inject?: NonNullable<FactoryProvider['inject']>;
  readonly useFactory: (...dependencies: never[]) => GatewayOptions | Promise<GatewayOptions>;
}

/** Provides `PARTNER`; its connections end when the application shuts down, after delivery has drained. */
@Module({})
export class GatewayModule implements OnApplicationShutdown {
  constructor(@Inject(GATEWAY) private readonly gateway: Gateway) {}

  static forRoot(options: GatewayOptions): DynamicModule {
    return GatewayModule.forRootAsync({ useFactory: () => options });
  }

  static forRootAsync({ imports = [], inject = [], useFactory }: GatewayAsyncOptions): DynamicModule {
    return {
      module: GatewayModule,
      imports,
      providers: [
        {
          provide: GATEWAY,
          inject,
          useFactory: async (...dependencies: never[]): Promise<Gateway> =>
            createGateway(await useFactory(...dependencies)),
        },
        { provide: PARTNER, inject: [GATEWAY], useFactory: (gateway: Gateway) => gateway.partner },
      ],
      exports: [PARTNER],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.gateway.close();
  }
}
