import { type ReactNode } from 'react';

import { PageHeader } from '../components/page-header.js';

export function ReplayScreen(): ReactNode {
  return <PageHeader title="Replay" />;
}
