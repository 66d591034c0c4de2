import { type ReactNode } from 'react';

import { useMe } from '../session/session-store.js';

interface DocsLinkProps {
  /** A page below `docs/` of the release, or a part of one. */
  readonly page: string;
}

/** Where more is said: a link where the daemon knows where its pages are (`OPS_DOCS_URL`), else the page's name. */
export function DocsLink({ page }: DocsLinkProps): ReactNode {
  const { docsUrl } = useMe();
  if (docsUrl === null) return <code>docs/{page}</code>;
  return (
    <a href={`${docsUrl}${page}`} target="_blank" rel="noreferrer">
      docs/{page}
    </a>
  );
}
