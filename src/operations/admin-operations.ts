import { createAddAgent, type AddAgent, type AddAgentDependencies } from './add-agent.js';
import { createAddAgentKey, type AddAgentKey } from './add-agent-key.js';
import { createAddConnector, type AddConnector, type AddConnectorDependencies } from './add-connector.js';
import {
  createAddAdmin,
  createRemoveAdmin,
  type AddAdmin,
  type AdminAccountDependencies,
  type RemoveAdmin,
} from './admin-account-writes.js';
import { createCallQuestions, type CallQuestions, type CallQuestionsDependencies } from './call-questions.js';
import type { CallTool } from './call-tool.js';
import { createChangeAgent, type ChangeAgent } from './change-agent.js';
import { createChooseAccount, type ChooseAccount, type ChooseAccountDependencies } from './choose-account.js';
import type { ConnectionOperations } from './connection-operations.js';
import {
  createChangeConnector,
  type ChangeConnector,
  type ChangeConnectorDependencies,
} from './change-connector.js';
import {
  createCheckNewConnector,
  type CheckNewConnector,
  type CheckNewConnectorDependencies,
} from './check-new-connector.js';
import type { ClientApprovals } from './client-approvals.js';
import { createExportEvents, type ExportEvents, type ExportEventsDependencies } from './export-events.js';
import { createExplainPolicy, type ExplainPolicy, type ExplainPolicyDependencies } from './explain-policy.js';
import type { PolicyWriteDependencies } from './policy-writes.js';
import { createRemoveAgent, type RemoveAgent, type RemoveAgentDependencies } from './remove-agent.js';
import {
  createRemoveConnector,
  type RemoveConnector,
  type RemoveConnectorDependencies,
} from './remove-connector.js';
import {
  createRemoveCredential,
  type RemoveCredential,
  type RemoveCredentialDependencies,
} from './remove-credential.js';
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
import { createAddSignInLink, type AddSignInLink, type AddSignInLinkDependencies } from './sign-in-link.js';
import type { SignIn } from './sign-in.js';
import { createVerifyEvents, type VerifyEvents, type VerifyEventsDependencies } from './verify-events.js';

/** Everything an admin can have done. */
export interface AdminOperations {
  readonly addConnector: AddConnector;
  readonly checkNewConnector: CheckNewConnector;
  readonly changeConnector: ChangeConnector;
  readonly setConnectorEnabled: SetConnectorEnabled;
  readonly removeConnector: RemoveConnector;
  readonly syncConnector: SyncConnector;
  readonly saveCredential: SaveCredential;
  readonly removeCredential: RemoveCredential;
  readonly chooseAccount: ChooseAccount;
  readonly connections: Pick<ConnectionOperations, 'begin' | 'finish'>;
  readonly addAgent: AddAgent;
  readonly changeAgent: ChangeAgent;
  readonly removeAgent: RemoveAgent;
  readonly addAgentKey: AddAgentKey;
  readonly revokeAgentKey: RevokeAgentKey;
  readonly revokeClient: ClientApprovals['revoke'];
  readonly savePolicy: SavePolicy;
  readonly removePolicy: RemovePolicy;
  readonly explainPolicy: ExplainPolicy;
  readonly callTool: CallTool;
  readonly callQuestions: CallQuestions;
  readonly verifyEvents: VerifyEvents;
  readonly exportEvents: ExportEvents;
  readonly addAdmin: AddAdmin;
  readonly removeAdmin: RemoveAdmin;
  readonly addSignInLink: AddSignInLink;
  readonly signOut: SignIn['signOut'];
  readonly rotateMasterKey: RotateMasterKey;
}

type Needs = AddConnectorDependencies &
  ChangeConnectorDependencies &
  RemoveConnectorDependencies &
  SaveCredentialDependencies &
  RemoveCredentialDependencies &
  RemoveAgentDependencies &
  ChooseAccountDependencies &
  AddAgentDependencies &
  PolicyWriteDependencies &
  CallQuestionsDependencies &
  ExplainPolicyDependencies &
  VerifyEventsDependencies &
  ExportEventsDependencies &
  CheckNewConnectorDependencies &
  AdminAccountDependencies &
  AddSignInLinkDependencies &
  RotateMasterKeyDependencies;

export type AdminOperationsDependencies = Needs & {
  readonly callTool: CallTool;
  readonly connections: AdminOperations['connections'];
  readonly signOut: SignIn['signOut'];
  readonly clients: ClientApprovals;
};

/** All operations share the turns they are given: what concerns one thing happens in one order, whichever operation it is. */
export function createAdminOperations(dependencies: AdminOperationsDependencies): AdminOperations {
  const deps: Needs = dependencies;
  return {
    addConnector: createAddConnector(deps),
    checkNewConnector: createCheckNewConnector(deps),
    changeConnector: createChangeConnector(deps),
    setConnectorEnabled: createSetConnectorEnabled(deps),
    removeConnector: createRemoveConnector(deps),
    syncConnector: dependencies.syncConnector,
    saveCredential: createSaveCredential(deps),
    removeCredential: createRemoveCredential(deps),
    chooseAccount: createChooseAccount(deps),
    connections: dependencies.connections,
    addAgent: createAddAgent(deps),
    changeAgent: createChangeAgent(deps),
    removeAgent: createRemoveAgent(deps),
    addAgentKey: createAddAgentKey(deps),
    revokeAgentKey: createRevokeAgentKey(deps),
    revokeClient: (request) => dependencies.clients.revoke(request),
    savePolicy: createSavePolicy(deps),
    removePolicy: createRemovePolicy(deps),
    explainPolicy: createExplainPolicy(deps),
    callTool: dependencies.callTool,
    callQuestions: createCallQuestions(deps),
    verifyEvents: createVerifyEvents(deps),
    exportEvents: createExportEvents(deps),
    addAdmin: createAddAdmin(deps),
    removeAdmin: createRemoveAdmin(deps),
    addSignInLink: createAddSignInLink(deps),
    signOut: dependencies.signOut,
    rotateMasterKey: createRotateMasterKey(deps),
  };
}
