import { FastifyAdapter } from '@nestjs/platform-fastify';

import type { ProblemReply } from '#operations';
import { problemOf, sendProblem } from '#operations';

/** Fastify lets ids have 100 characters; ours have 256 at most, and three of them make an intent's. Node limits the head. */
const pathPartCharsMax = 8_192;
/** A record of 1 MiB that is corrected comes as text within JSON, every quote of it escaped. */
const bodyBytesMax = 4 * 1024 * 1024;

const settings = {
  bodyLimit: bodyBytesMax,
  routerOptions: { maxParamLength: pathPartCharsMax },
  // What Fastify refuses before there is a route, such as an address that cannot be decoded.
  frameworkErrors: (error: Error, _request: unknown, reply: unknown) =>
    sendProblem(problemOf(error), reply as ProblemReply),
};

/**
 * Serves everything below the base path too, as a proxy passes it on that keeps the path. Without it everything stays where
 * it was: probes and scrapes come past the proxy.
 *
 * @param basePath `/`, or a path without a slash at its end
 */
export function httpAdapter(basePath: string): FastifyAdapter {
  if (basePath === '/') return new FastifyAdapter(settings);
  return new FastifyAdapter({ ...settings, rewriteUrl: ({ url = '/' }) => belowBasePath(url, basePath) });
}

function belowBasePath(url: string, basePath: string): string {
  const rest = url.startsWith(basePath) ? url.slice(basePath.length) : null;
  if (rest === null) return url;
  if (rest === '' || rest.startsWith('?')) return `/${rest}`;
  return rest.startsWith('/') ? rest : url;
}
