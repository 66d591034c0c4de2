/** What came back from the sandbox, with its body as text and, where it is JSON, parsed. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Record<string, unknown>;
}

export interface LedgerItem {
  readonly seq: number;
  readonly operation: string;
  readonly brandId: string;
  readonly programId: string | null;
  readonly uniqueId: string | null;
  readonly passId: number | null;
  readonly targetId: string | null;
  readonly key: string | null;
  readonly requestId: string;
  readonly arrivedAt: string;
  readonly appliedAt: string;
  readonly body: unknown;
}

/** Calls the sandbox as a partner system would: plain HTTP, nothing of its code. */
export class SandboxClient {
  private token = '';

  /** @param authUrl where the sandbox is; a function where that changes with its restarts */
  constructor(private readonly authUrl: string | (() => string)) {}

  /** `request` is method and path, as in `GET /__ledger`; a string body is sent as it is. */
  async send(request: string, body?: unknown, headers: Record<string, string> = {}): Promise<Reply> {
    const [method = '', path = ''] = request.split(' ');
    const json = body === undefined ? {} : { 'content-type': 'application/json' };
    const authUrl = typeof this.authUrl === 'string' ? this.authUrl : this.authUrl();
    const response = await fetch(`${authUrl}${path}`, {
      method,
      redirect: 'manual',
      headers: { authorization: `Bearer ${this.token}`, ...json, ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: parse(text) };
  }

  async requestToken(fields: Record<string, string> = {}): Promise<Reply> {
    const credentials = { client_id: 'sandbox', client_secret: 'sandbox', scope: 'admin' };
    const form = new URLSearchParams({ grant_type: 'client_credentials', ...credentials, ...fields });
    return this.send('POST /oauth2/token', form.toString(), { 'content-type': 'application/x-www-form-urlencoded' });
  }

  async authenticate(): Promise<string> {
    this.token = String((await this.requestToken()).json['access_token']);
    return this.token;
  }

  useToken(token: string): void {
    this.token = token;
  }

  issue(memberId: string, content: object = {}, program = '101/programs/2001'): Promise<Reply> {
    const body = { passdata: { points: 100, metaData: { memberId } }, ...content };
    return this.send(`POST /brands/${program}/issue-wallet`, body);
  }

  lookUp(query: string, program = '101/programs/2001'): Promise<Reply> {
    return this.send(`GET /brands/${program}/wallets?${query}`);
  }

  workflow(id: string, content: object, program = '101/programs/2002'): Promise<Reply> {
    return this.send(`POST /brands/${program}/workflows/${id}/wallet-passes`, content);
  }

  sale(memberId: string, attributes: object, type = '31'): Promise<Reply> {
    const body = { amount: 59.99, transactionDate: '2026-11-21T09:15:04.000Z', attributes };
    const path = `/brands/101/programs/2001/transaction-types/${type}/transactions`;
    return this.send(`POST ${path}?unique_id=${memberId}`, body);
  }

  reward(query: string, id = '9001'): Promise<Reply> {
    return this.send(`POST /brands/101/programs/2001/rewards/${id}/wallet-pass?${query}`);
  }

  async ledger(query = ''): Promise<LedgerItem[]> {
    const { json } = await this.send(`GET /__ledger?limit=10000&${query}`);
    return json['items'] as LedgerItem[];
  }

  faults(rules: readonly object[]): Promise<Reply> {
    return this.send('PUT /__faults', { seed: 1, rules });
  }
}

function parse(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}
