import { type ReactNode } from 'react';

import { PageHeader } from '../components/page-header.js';

export function FailuresScreen(): ReactNode {
  return <PageHeader title="Failures" />;
}
