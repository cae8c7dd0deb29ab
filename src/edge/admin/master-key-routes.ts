import { ADMIN_ROUTES } from '../../contract/index.js';
import type { AdminDependencies } from './dependencies.js';
import type { Register } from './register.js';

const ROUTES = ADMIN_ROUTES.masterKey;

export function registerMasterKeyRoutes(
  register: Register,
  { masterKey, operations }: AdminDependencies,
): void {
  register(ROUTES.get, async () => {
    const { retired, ...state } = masterKey.state();
    return { body: { ...state, retired: [...retired] } };
  });
  register(ROUTES.rotate, async ({ by }) => {
    const { retired, ...rotated } = await operations.rotateMasterKey({ by });
    return { body: { ...rotated, retired: [...retired] } };
  });
}
