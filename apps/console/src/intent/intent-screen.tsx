import { type ReactNode } from 'react';

import { PageHeader } from '../components/page-header.js';

export function IntentScreen(): ReactNode {
  return <PageHeader title="Intent" />;
}
