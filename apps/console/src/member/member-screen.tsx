import { type ReactNode } from 'react';

import { PageHeader } from '../components/page-header.js';

export function MemberScreen(): ReactNode {
  return <PageHeader title="Member" />;
}
