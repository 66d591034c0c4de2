import { type ReactNode } from 'react';

import { PageHeader } from '../components/page-header.js';

export function PausesScreen(): ReactNode {
  return <PageHeader title="Pauses" />;
}
