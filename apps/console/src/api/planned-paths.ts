interface Producer {
  readonly source: string | null;
  readonly store: string | null;
  readonly program: string | null;
  /** What had no room any more among those that are told apart. */
  readonly isRest: boolean;
  readonly events: number;
  readonly invalid: number;
  readonly late: number;
  readonly duplicates: number;
  readonly conflicting: number;
  readonly outOfOrder: number;
}

interface ProducerList {
  readonly from: string;
  readonly to: string;
  readonly lateSeconds: number;
  readonly items: readonly Producer[];
  readonly isPart: boolean;
}

/** Paths that the OpenAPI document does not have yet. */
export interface PlannedPaths {
  readonly '/producers': {
    readonly get: {
      readonly parameters: { readonly query?: { readonly from?: string; readonly to?: string } };
      readonly responses: { readonly 200: { content: { readonly 'application/json': ProducerList } } };
    };
  };
}
