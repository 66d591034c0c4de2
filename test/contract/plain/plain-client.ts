import type { ContractClient, ResolvedStep, Seen } from '../interpreter/contract-client.js';
import type { Names } from '../interpreter/names.js';
import { wireRequest } from '../interpreter/wire-request.js';
import type { Specification } from '../reading/specification.js';
import { PlainTokens, type TokenAccess } from './plain-tokens.js';
import { send } from './send.js';

export interface PlainClientOptions extends TokenAccess {
  readonly baseUrl: string;
  readonly calls: Specification['calls'];
  readonly names: Names;
}

/** Says what a caller with nothing but the document would say; imports no library of ours. */
export class PlainClient implements ContractClient {
  readonly name = 'plain';
  private readonly tokens: PlainTokens;

  constructor(private readonly options: PlainClientOptions) {
    this.tokens = new PlainTokens(options);
  }

  async perform(step: ResolvedStep): Promise<Seen> {
    if (step.call === 'token') return this.tokens.request(step.form ?? {});
    const { baseUrl, calls, names } = this.options;
    const { method, path, query, body } = wireRequest(step, calls, names);
    const parameters = new URLSearchParams(query).toString();
    const url = `${baseUrl}${path}${parameters === '' ? '' : `?${parameters}`}`;
    const token = await this.tokens.forStep(step.token);
    const headers = {
      accept: 'application/json',
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    return send({ url, method, headers, body: body === undefined ? null : JSON.stringify(body) });
  }

  spell(expected: unknown): unknown {
    return this.options.names.spell(expected);
  }

  observe(): Promise<unknown> {
    throw new Error('plain HTTP hides nothing that would have to be observed');
  }

  async close(): Promise<void> {
    // `fetch` keeps its connections for all clients of the process.
  }
}
