import { createAddAgent, type AddAgent, type AddAgentDependencies } from './add-agent.js';
import { createAddAgentKey, type AddAgentKey } from './add-agent-key.js';
import { createAddConnector, type AddConnector, type AddConnectorDependencies } from './add-connector.js';
import type { CallTool } from './call-tool.js';
import { createChangeAgent, type ChangeAgent } from './change-agent.js';
import {
  createChangeConnector,
  type ChangeConnector,
  type ChangeConnectorDependencies,
} from './change-connector.js';
import { createExplainPolicy, type ExplainPolicy, type ExplainPolicyDependencies } from './explain-policy.js';
import type { PolicyWriteDependencies } from './policy-writes.js';
import { createRemoveAgent, type RemoveAgent } from './remove-agent.js';
import {
  createRemoveConnector,
  type RemoveConnector,
  type RemoveConnectorDependencies,
} from './remove-connector.js';
import { createRemoveCredential, type RemoveCredential } from './remove-credential.js';
import { createRemovePolicy, type RemovePolicy } from './remove-policy.js';
import { createRevokeAgentKey, type RevokeAgentKey } from './revoke-agent-key.js';
import {
  createSaveCredential,
  type SaveCredential,
  type SaveCredentialDependencies,
} from './save-credential.js';
import { createSavePolicy, type SavePolicy } from './save-policy.js';
import { createSetConnectorEnabled, type SetConnectorEnabled } from './set-connector-enabled.js';
import {
  createRotateMasterKey,
  type RotateMasterKey,
  type RotateMasterKeyDependencies,
} from './rotate-master-key.js';
import type { SyncConnector } from './sync-connector.js';
import { createTurns } from './turns.js';
import { createVerifyEvents, type VerifyEvents, type VerifyEventsDependencies } from './verify-events.js';

/** Everything an admin can have done. */
export interface AdminOperations {
  readonly addConnector: AddConnector;
  readonly changeConnector: ChangeConnector;
  readonly setConnectorEnabled: SetConnectorEnabled;
  readonly removeConnector: RemoveConnector;
  readonly syncConnector: SyncConnector;
  readonly saveCredential: SaveCredential;
  readonly removeCredential: RemoveCredential;
  readonly addAgent: AddAgent;
  readonly changeAgent: ChangeAgent;
  readonly removeAgent: RemoveAgent;
  readonly addAgentKey: AddAgentKey;
  readonly revokeAgentKey: RevokeAgentKey;
  readonly savePolicy: SavePolicy;
  readonly removePolicy: RemovePolicy;
  readonly explainPolicy: ExplainPolicy;
  readonly callTool: CallTool;
  readonly verifyEvents: VerifyEvents;
  readonly rotateMasterKey: RotateMasterKey;
}

type Needs = AddConnectorDependencies &
  ChangeConnectorDependencies &
  RemoveConnectorDependencies &
  SaveCredentialDependencies &
  AddAgentDependencies &
  PolicyWriteDependencies &
  ExplainPolicyDependencies &
  VerifyEventsDependencies &
  RotateMasterKeyDependencies;

export type AdminOperationsDependencies = Omit<Needs, 'turns'> & { readonly callTool: CallTool };

/** The operations share their turns: what concerns one thing happens in one order, whichever operation it is. */
export function createAdminOperations(dependencies: AdminOperationsDependencies): AdminOperations {
  const deps: Needs = { ...dependencies, turns: createTurns() };
  return {
    addConnector: createAddConnector(deps),
    changeConnector: createChangeConnector(deps),
    setConnectorEnabled: createSetConnectorEnabled(deps),
    removeConnector: createRemoveConnector(deps),
    syncConnector: dependencies.syncConnector,
    saveCredential: createSaveCredential(deps),
    removeCredential: createRemoveCredential(deps),
    addAgent: createAddAgent(deps),
    changeAgent: createChangeAgent(deps),
    removeAgent: createRemoveAgent(deps),
    addAgentKey: createAddAgentKey(deps),
    revokeAgentKey: createRevokeAgentKey(deps),
    savePolicy: createSavePolicy(deps),
    removePolicy: createRemovePolicy(deps),
    explainPolicy: createExplainPolicy(deps),
    callTool: dependencies.callTool,
    verifyEvents: createVerifyEvents(deps),
    rotateMasterKey: createRotateMasterKey(deps),
  };
}
