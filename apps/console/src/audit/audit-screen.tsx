import { type ReactNode } from 'react';

import { PageHeader } from '../components/page-header.js';

export function AuditScreen(): ReactNode {
  return <PageHeader title="Audit" />;
}
