import type { ApiClient } from '../http/api-client.js';
import type { ListRequest, Page } from '../http/list-pages.js';
import type { ListView } from '../output/list-writer.js';
import type { QueryKeys } from '../query/parse-query.js';

/** A list of the operations API: where it comes from and how it is shown. */
export interface ListSource<T> extends ListView<T> {
  readonly path: string;
  /** The keys that its query takes. */
  readonly keys: QueryKeys;
  readonly pages: (client: ApiClient, request: ListRequest<T>) => AsyncGenerator<Page<T>>;
  /** What `--since` looks at; `from`: the API itself does, by a filter of that name. */
  readonly since: 'from' | ((item: T) => string);
}
