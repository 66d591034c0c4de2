import { HttpService } from '@nestjs/axios';
import type { Clock } from '#platform';
import axios, { type AxiosResponse, type InternalAxiosRequestConfig } from 'axios';
import type { Dispatchers } from './dispatchers.js';
import { HttpExchange } from './http-exchange.js';
import type { HttpRequest } from './http-request.js';
import type { HttpResult } from './http-result.js';

/**
 * Carries a request through axios by reference: axios clones plain objects in its configuration, instances it leaves.
 */
export class HttpCarrier {
  constructor(readonly request: HttpRequest) {}
}

/**
 * Nest's HttpService over an axios instance whose adapter is undici: axios' own adapter reached 6-7k requests/s on
 * one core and cannot tell whether a request was written. Every result resolves, whatever its status; nothing is
 * transformed, followed, retried or decompressed.
 */
export function createHttpService(dispatchers: Dispatchers, clock: Clock): HttpService {
  const adapter = async (config: InternalAxiosRequestConfig<HttpCarrier>): Promise<AxiosResponse<HttpResult>> => {
    const request = carried(config.data);
    const result = await new Promise<HttpResult>((resolve) => {
      new HttpExchange(request, clock, resolve).start(dispatchers.for(request.origin));
    });
    return { data: result, status: result.status ?? 0, statusText: '', headers: {}, config };
  };
  const instance = axios.create({ adapter, transformRequest: [], transformResponse: [] });
  keepOnly(instance.defaults, ['adapter', 'transformRequest', 'transformResponse']);
  return new HttpService(instance);
}

function carried(data: HttpCarrier | undefined): HttpRequest {
  if (data instanceof HttpCarrier) return data.request;
  throw new TypeError('the gateway sends through HttpClient only');
}

/** axios merges its defaults anew for each request: those nobody reads here cost as much as undici's whole work. */
function keepOnly(defaults: object, wanted: readonly string[]): void {
  for (const key of Object.keys(defaults)) if (!wanted.includes(key)) Reflect.deleteProperty(defaults, key);
}
