interface Get<Answer, Query = never> {
  readonly get: {
    readonly parameters: { readonly query?: Query };
    readonly responses: { readonly 200: { content: { readonly 'application/json': Answer } } };
  };
}

interface Me {
  readonly name: string;
  readonly role: 'viewer' | 'operator' | 'admin';
  readonly subject: string | null;
  /** The programs that the token is limited to; null: to none. */
  readonly limitedTo: readonly string[] | null;
  readonly readOnly: boolean;
  readonly twoPersons: boolean;
  readonly expiresAt: string | null;
}

interface SeriesPoint {
  readonly at: string;
  readonly received: number;
  readonly delivered: number;
  readonly parked: number;
  readonly unknown: number;
  readonly cancelled: number;
  readonly waiting: number;
  readonly pending: number;
  readonly quarantined: number;
}

interface Producer {
  readonly source: string | null;
  readonly store: string | null;
  readonly events: number;
  readonly invalid: number;
  readonly late: number;
  readonly duplicates: number;
  readonly conflicting: number;
  readonly outOfOrder: number;
}

interface Span {
  readonly from?: string;
  readonly to?: string;
}

/** Paths that the OpenAPI document does not have yet. */
export interface PlannedPaths {
  readonly '/console': Get<{
    readonly version: string;
    readonly oidc: { readonly issuer: string; readonly clientId: string; readonly scope: string } | null;
  }>;
  readonly '/me': Get<Me>;
  readonly '/login-links/redeem': {
    readonly post: {
      readonly parameters: { readonly query?: never };
      readonly requestBody: { readonly content: { readonly 'application/json': { readonly code: string } } };
      readonly responses: { readonly 200: { content: { readonly 'application/json': { readonly token: string } } } };
    };
  };
  readonly '/series': Get<
    { readonly stepSeconds: number; readonly items: readonly SeriesPoint[] },
    Span & { readonly program?: string }
  >;
  readonly '/intents/count': Get<
    { readonly count: number; readonly isExact: boolean },
    Readonly<Partial<Record<string, string>>>
  >;
  readonly '/producers': Get<{ readonly items: readonly Producer[] }, Span>;
}
