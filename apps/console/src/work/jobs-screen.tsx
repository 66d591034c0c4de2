import { type ReactNode } from 'react';

import { PageHeader } from '../components/page-header.js';

export function JobsScreen(): ReactNode {
  return <PageHeader title="Jobs" />;
}
