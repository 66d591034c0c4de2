import type { HttpRequest } from './http-request.js';
import type { HttpResult } from './http-result.js';

/** Carries one request to the partner and tells what became of it; never rejects, never sends twice. */
export interface HttpTransport {
  send(request: HttpRequest): Promise<HttpResult>;
}
