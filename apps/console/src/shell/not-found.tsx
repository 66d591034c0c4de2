import { Link } from '@tanstack/react-router';
import { type ReactNode } from 'react';

import { PageHeader } from '../components/page-header.js';

export function NotFound(): ReactNode {
  return (
    <>
      <PageHeader title="Nothing here" />
      <p>
        There is no such page. <Link to="/">How things stand now</Link>
      </p>
    </>
  );
}
