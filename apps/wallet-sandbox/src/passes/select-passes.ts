import type { SqlSession } from '#platform';
import { statement } from '../store/statement.js';
import type { Pass, PassHandle } from './pass.js';
import { passColumns } from './pass-columns.js';

const selectByUniqueId = statement(
  'select_passes_by_unique_id',
  `SELECT ${passColumns} FROM wallet_sandbox.pass p WHERE p.unique_id = ANY($1::text[]) ORDER BY p.pass_id`,
);

const selectByOtherHandle = statement(
  'select_passes_by_other_handle',
  `SELECT ${passColumns} FROM wallet_sandbox.pass p
   WHERE p.serial_number = ANY($1::text[]) OR p.pass_id = ANY($2::bigint[]) OR p.person_id = ANY($3::text[])
   ORDER BY p.pass_id`,
);

/** Every pass, of any program, that some handle may mean, each once. */
export async function selectPasses(session: SqlSession, handles: readonly PassHandle[]): Promise<Pass[]> {
  const uniqueIds = handles.flatMap((handle) => handle.uniqueId ?? []);
  const others = handles.filter((handle) => handle.uniqueId === undefined);
  const found = uniqueIds.length === 0 ? [] : (await session.query<Pass>(selectByUniqueId, [uniqueIds])).rows;
  if (others.length === 0) return found;
  const { rows } = await session.query<Pass>(selectByOtherHandle, [
    others.flatMap((handle) => handle.serialNumber ?? []),
    others.flatMap((handle) => handle.passId ?? []),
    others.flatMap((handle) => handle.personId ?? []),
  ]);
  return [...new Map([...found, ...rows].map((pass) => [pass.passId, pass])).values()];
}
