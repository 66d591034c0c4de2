import type { Clock } from '#platform';
import axios from 'axios';
import { type Dispatchers, UndiciTransport } from '../src/call/connections.js';
import { axiosOptions, HttpClient, PartnerHttp } from '../src/call/http-client.js';

/** Nest's HttpService as the gateway has it, over real connections. */
export function partnerHttpOver(dispatchers: Dispatchers, clock: Clock): PartnerHttp {
  return new PartnerHttp(axios.create(axiosOptions(new UndiciTransport(dispatchers, clock), { clock })));
}

/** Sends through axios and all its guards. */
export function httpClientOver(dispatchers: Dispatchers, clock: Clock): HttpClient {
  return new HttpClient(partnerHttpOver(dispatchers, clock), { clock });
}
