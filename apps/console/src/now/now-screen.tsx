import { type ReactNode } from 'react';

import { PageHeader } from '../components/page-header.js';

export function NowScreen(): ReactNode {
  return <PageHeader title="Now" />;
}
