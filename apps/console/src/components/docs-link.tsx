import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';

import { apiQuery } from '../api/queries.js';

interface DocsLinkProps {
  /** A page below `docs/` of the release, or a part of one. */
  readonly page: string;
}

/** Where more is said: a link where the daemon knows where its pages are (`OPS_DOCS_URL`), else the page's name. */
export function DocsLink({ page }: DocsLinkProps): ReactNode {
  const { data } = useQuery({ ...apiQuery('/console', {}), staleTime: Infinity });
  const docsUrl = data?.docsUrl ?? null;
  if (docsUrl === null) return <code>docs/{page}</code>;
  return (
    <a href={`${docsUrl}${page}`} target="_blank" rel="noreferrer">
      docs/{page}
    </a>
  );
}
