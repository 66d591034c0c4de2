import { type ReactNode } from 'react';

import { PageHeader } from '../components/page-header.js';

export function ProducersScreen(): ReactNode {
  return <PageHeader title="Producers" />;
}
