import { type ReactNode } from 'react';

import { PageHeader } from '../components/page-header.js';

export function ReplaysScreen(): ReactNode {
  return <PageHeader title="Replays" />;
}
