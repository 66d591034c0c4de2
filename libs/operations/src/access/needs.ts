import type { CustomDecorator } from '@nestjs/common';
import { SetMetadata } from '@nestjs/common';

import type { Role } from './operator.js';

export const NEEDED_ROLE = Symbol('NeededRole');

/** The role that a route needs; null: anybody may, without a token. */
export const Needs = (role: Role | null): CustomDecorator<symbol> => SetMetadata(NEEDED_ROLE, role);
