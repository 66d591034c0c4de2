import { type Clock, SystemClock } from '#platform';
import { createGateway, type Gateway } from '../src/create-gateway.js';
import { DialectRegistry } from '../src/dialect/dialect-registry.js';
import type { ClientCredentials, GatewayOptions } from '../src/gateway-options.js';
import { answerJson, type Reply, ScriptedServer, type SeenRequest } from './scripted-server.js';

/** Grants `token-1`, `token-2`, ... */
export function grantTokens(expiresInSeconds = 3600): Reply {
  let granted = 0;
  return (socket, request) => {
    granted += 1;
    const token = { access_token: `token-${granted}`, expires_in: expiresInSeconds, token_type: 'Bearer' };
    answerJson(200, token)(socket, request);
  };
}

/** The partner as scripted, its token endpoint, and a gateway that talks to both. */
export class PartnerStub {
  token: Reply = grantTokens();
  call: Reply = answerJson(200, {});
  credentials: () => ClientCredentials = () => ({ clientId: 'id', clientSecret: 's3cret' });

  private constructor(
    private readonly server: ScriptedServer,
    readonly gateway: Gateway,
  ) {}

  static async start(options: Partial<GatewayOptions> = {}): Promise<PartnerStub> {
    const server = await ScriptedServer.start();
    const gateway = createGateway({
      baseUrl: `${server.origin}/brands/`,
      authUrl: `${server.origin}/auth`,
      scope: 'https://scope.example/admin',
      readCredentials: () => stub.credentials(),
      dialects: new DialectRegistry(),
      clock: new SystemClock(),
      ...options,
    });
    const stub: PartnerStub = new PartnerStub(server, gateway);
    server.reply = (socket, request) => (isTokenRequest(request) ? stub.token : stub.call)(socket, request);
    return stub;
  }

  get calls(): SeenRequest[] {
    return this.server.seen.filter((request) => !isTokenRequest(request));
  }

  get tokenRequests(): SeenRequest[] {
    return this.server.seen.filter(isTokenRequest);
  }

  async close(): Promise<void> {
    await this.gateway.close();
    await this.server.close();
  }
}

function isTokenRequest({ path }: SeenRequest): boolean {
  return path === '/auth/oauth2/token';
}

const stubs: PartnerStub[] = [];

/** A partner that answers every call as scripted, spoken to in a dialect; gone after the test (`closeStubs`). */
export async function startStub(
  call: Reply,
  dialect: Readonly<Record<string, unknown>> = {},
  clock: Clock = new SystemClock(),
): Promise<PartnerStub> {
  const stub = await PartnerStub.start({ dialects: new DialectRegistry({ file: dialect, programs: [] }), clock });
  stub.call = call;
  stubs.push(stub);
  return stub;
}

/** For `afterEach`. */
export async function closeStubs(): Promise<void> {
  for (const stub of stubs.splice(0)) await stub.close();
}
