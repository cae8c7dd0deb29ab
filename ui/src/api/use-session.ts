import { useQuery } from '@tanstack/react-query';
import type { AdminRole } from '../../../src/contract/index.js';
import { currentSession, isAllowed } from './session.js';

/** Whether who is signed in may do what needs this role. The hub decides; this only spares a refusal. */
export function useMay(least: AdminRole): boolean {
  const { data } = useQuery(currentSession);
  return data === undefined || isAllowed(data.admin.role, least);
}
