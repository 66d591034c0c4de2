import { type ReactNode } from 'react';

import { PageHeader } from '../components/page-header.js';

export function RecordScreen(): ReactNode {
  return <PageHeader title="Record set aside" />;
}
