import { type ReactNode } from 'react';

import { PageHeader } from '../components/page-header.js';

export function IntentsScreen(): ReactNode {
  return <PageHeader title="Intents" />;
}
