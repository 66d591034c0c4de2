import { FastifyAdapter } from '@nestjs/platform-fastify';

/**
 * Serves everything below the base path too, as a proxy passes it on that keeps the path. Without it everything stays where
 * it was: probes and scrapes come past the proxy.
 *
 * @param basePath `/`, or a path without a slash at its end
 */
export function httpAdapter(basePath: string): FastifyAdapter {
  if (basePath === '/') return new FastifyAdapter();
  return new FastifyAdapter({ rewriteUrl: ({ url = '/' }) => belowBasePath(url, basePath) });
}

function belowBasePath(url: string, basePath: string): string {
  const rest = url.startsWith(basePath) ? url.slice(basePath.length) : null;
  if (rest === null) return url;
  if (rest === '' || rest.startsWith('?')) return `/${rest}`;
  return rest.startsWith('/') ? rest : url;
}
