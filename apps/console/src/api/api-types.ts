import type { paths } from './openapi.js';

export type Method = 'get' | 'post' | 'delete';

type Operation<P extends keyof paths, M extends Method> = paths[P] extends { readonly [key in M]: infer O } ? O : never;

/** The paths of the operations API, below `/api/v1`, that take this method. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: [Operation<P, M>] extends [never] ? never : P;
}[keyof paths];

/** What is answered with 200, as JSON. */
export type Answer<P extends PathOf<M>, M extends Method = 'get'> =
  Operation<P, M> extends {
    readonly responses: { readonly 200: { content: { readonly 'application/json': infer A } } };
  }
    ? A
    : unknown;

type Place<P extends PathOf<M>, M extends Method, Name extends 'path' | 'query'> =
  Operation<P, M> extends { readonly parameters: { readonly [key in Name]?: infer V } } ? NonNullable<V> : never;

/** What stands in the path, such as `{ id }`. */
export type PathParams<P extends PathOf<M>, M extends Method = 'get'> = Place<P, M, 'path'>;
export type Query<P extends PathOf<M>, M extends Method = 'get'> = Place<P, M, 'query'>;

export type Body<P extends PathOf<M>, M extends Method = 'post'> =
  Operation<P, M> extends { readonly requestBody?: infer B }
    ? NonNullable<B> extends { readonly content: { readonly 'application/json': infer J } }
      ? J
      : never
    : never;

type WithParams<T> = [T] extends [never] ? { readonly params?: never } : { readonly params: T };
type WithQuery<T> = [T] extends [never] ? { readonly query?: never } : { readonly query?: T };
type WithBody<T> = [T] extends [never] ? { readonly body?: never } : { readonly body: T };

/** What a request of this path takes. */
export type RequestParts<P extends PathOf<M>, M extends Method> = WithParams<PathParams<P, M>> &
  WithQuery<Query<P, M>> &
  (M extends 'get' ? unknown : WithBody<Body<P, M>>);
