import { type ReactNode } from 'react';

import { PageHeader } from '../components/page-header.js';

export function NewReplayScreen(): ReactNode {
  return <PageHeader title="New replay" />;
}
