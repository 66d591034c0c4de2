import { type ReactNode } from 'react';

import { PageHeader } from '../components/page-header.js';

export function SettingsScreen(): ReactNode {
  return <PageHeader title="Settings" />;
}
