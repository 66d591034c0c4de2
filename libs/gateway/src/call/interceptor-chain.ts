import {
  type AxiosAdapter,
  AxiosHeaders,
  type AxiosInstance,
  type AxiosInterceptorManager,
  type AxiosRequestConfig,
  type AxiosResponse,
  type InternalAxiosRequestConfig,
} from 'axios';

type Handler<Value> = NonNullable<AxiosInterceptorManager<Value>['handlers']>[number];

/** What a call passes, as `then` takes it. */
interface Link {
  readonly fulfilled: ((value: never) => unknown) | null | undefined;
  readonly rejected?: ((error: never) => unknown) | null | undefined;
}

/**
 * axios' `request` for an instance that has no defaults but its adapter: the request's interceptors, the last one first,
 * the adapter, the answer's interceptors. axios' own merges each config with its defaults and copies it, key by key, into
 * objects without a prototype: that costs as much as undici's whole work. Where no interceptor waits, the request is on
 * its way in the turn of the call.
 */
export function requestThrough(
  { request, response }: AxiosInstance['interceptors'],
  adapter: AxiosAdapter,
): (config: AxiosRequestConfig) => Promise<AxiosResponse> {
  const middle: Link = { fulfilled: adapter };
  return (config) => {
    const call = begunCall(config);
    const links: Link[] = [];
    for (const handler of installed(request)) if (handler.runWhen?.(call) !== false) links.unshift(handler);
    links.push(middle, ...installed(response));
    return pass(links, call);
  };
}

/** What interceptors and the adapter may rely on. */
function begunCall(config: AxiosRequestConfig): InternalAxiosRequestConfig {
  const { method = 'get', headers } = config;
  return { ...config, method: method.toLowerCase(), headers: AxiosHeaders.from(headers as AxiosHeaders | undefined) };
}

/** One that was ejected leaves a gap. */
function installed<Value>({ handlers = [] }: AxiosInterceptorManager<Value>): Handler<Value>[] {
  return handlers.filter((handler: Handler<Value> | null) => handler !== null);
}

/** Each link has what the one before it came to, as in a chain of `then`. */
async function pass(links: readonly Link[], call: InternalAxiosRequestConfig): Promise<AxiosResponse> {
  let value: unknown = call;
  let isFailed = false;
  for (const { fulfilled, rejected } of links) {
    const step = isFailed ? rejected : fulfilled;
    if (!step) continue;
    try {
      const next = step(value as never);
      value = isThenable(next) ? await next : next;
      isFailed = false;
    } catch (error) {
      value = error;
      isFailed = true;
    }
  }
  if (isFailed) throw value;
  return value as AxiosResponse;
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as PromiseLike<unknown> | null | undefined)?.then === 'function';
}
