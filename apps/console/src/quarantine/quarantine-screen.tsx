import { type ReactNode } from 'react';

import { PageHeader } from '../components/page-header.js';

export function QuarantineScreen(): ReactNode {
  return <PageHeader title="Quarantine" />;
}
