import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Grant, Provider } from 'oidc-provider';
import type { Agent, AgentReader, BrowserSession } from '../../agents/index.js';
import type { Actor } from '../../governance/index.js';
import { HubError } from '../../kernel/index.js';
import type { ApprovedClient, ClientApprovals } from '../../operations/index.js';
import type { BrowserGate } from '../pages/browser-cookie.js';
import { redirectTo } from '../pages/page.js';
import { isRegisteredRedirect, isWebRedirect } from './client-metadata.js';
import { renderConsent } from './consent-page.js';
import { readBody, sendResponse, toWebRequest } from './node-exchange.js';
import type { ProviderDoor } from './provider-door.js';
import { CONSENT_PATH } from './provider-settings.js';

export interface ConsentOptions {
  readonly door: ProviderDoor;
  readonly gate: BrowserGate;
  readonly agents: Pick<AgentReader, 'list' | 'find'>;
  readonly approvals: ClientApprovals;
  readonly scopes: readonly string[];
  readonly issuer: () => string;
}

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>;

/** What a client asks for, as it was checked by the provider. */
interface Wish {
  readonly provider: Provider;
  readonly uid: string;
  readonly clientId: string;
  readonly clientName: string | undefined;
  readonly clientUri: string | undefined;
  readonly redirectUri: string;
  /** Of ours. */
  readonly scopes: readonly string[];
  /** Of the provider's own, such as `openid`. */
  readonly otherScopes: readonly string[];
  readonly resources: readonly string[];
  /** Whether the person is to be asked whatever they allowed before (OpenID Connect Core, section 3.1.2.1). */
  readonly mustAsk: boolean;
}

const FORM_LIMITS = { maxBytes: 16 * 1024, timeoutMs: 20_000 };

/** Asks the person in front of the browser whether a client may act as an agent. */
export function createConsent(options: ConsentOptions) {
  const { door, gate } = options;

  /** Undefined: they were sent to sign in. */
  async function signedIn(
    request: IncomingMessage,
    response: ServerResponse,
    uid: string,
  ): Promise<BrowserSession | undefined> {
    const session = await gate.find(toWebRequest(request, options.issuer()));
    if (session !== undefined) return session;
    await sendResponse(response, redirectTo(gate.signInUrl(CONSENT_PATH + uid)));
    return undefined;
  }

  async function ask(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const wish = await readWish(await door.open(), request, response, options.scopes, options.issuer());
    const session = await signedIn(request, response, wish.uid);
    if (session === undefined) return;
    const agents = await choosable(options.agents, session);
    const [only] = agents;
    const approved =
      session.principal.kind === 'agent' && only !== undefined
        ? await options.approvals.find(only.id, wish.clientId)
        : undefined;
    if (only !== undefined && approved !== undefined && covers(approved, wish))
      return finish(options, wish, only, session, request, response);
    await sendResponse(
      response,
      renderConsent({
        ...wish,
        agents,
        signedInAs: nameOf(session),
        csrfField: gate.csrfField(session),
        action: CONSENT_PATH + wish.uid,
      }),
    );
  }

  async function decide(request: IncomingMessage, response: ServerResponse): Promise<void> {
    gate.requireSameOrigin(toWebRequest(request, options.issuer()));
    const form = new URLSearchParams((await readBody(request, FORM_LIMITS)).toString('utf8'));
    const wish = await readWish(await door.open(), request, response, options.scopes, options.issuer());
    const session = await signedIn(request, response, wish.uid);
    if (session === undefined) return;
    if (!gate.checkCsrf(session, form))
      throw new HubError('forbidden', 'the form is not of this session: open the page again');
    if (form.get('decision') !== 'allow') {
      const denied = { error: 'access_denied', error_description: 'access was not allowed' };
      return wish.provider.interactionFinished(request, response, denied, { mergeWithLastSubmission: false });
    }
    const agent = (await choosable(options.agents, session)).find(({ id }) => id === form.get('agent'));
    if (agent === undefined) throw new HubError('forbidden', 'there is no such agent for you to choose');
    await finish(options, wish, agent, session, request, response);
  }

  return { ask, decide };
}

/** The one that the cookie knows, where the address names it too: what is answered must be what was shown. */
async function findInteraction(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Interaction> {
  const over = (cause?: unknown): HubError =>
    new HubError(
      'invalid_request',
      'this sign-in is not under way any more: start again in the program that sent you here',
      { cause },
    );
  const interaction = await provider.interactionDetails(request, response).catch((error: unknown) => {
    throw over(error);
  });
  if (request.url?.replace(/\?.*$/, '') !== CONSENT_PATH + interaction.uid) throw over();
  return interaction;
}

async function readWish(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
  known: readonly string[],
  issuer: string,
): Promise<Wish> {
  const { uid, params } = await findInteraction(provider, request, response);
  const clientId = String(params['client_id']);
  const client = await provider.Client.find(clientId);
  if (client === undefined) throw new HubError('invalid_request', 'the program is not known any more');
  const asked = typeof params['scope'] === 'string' ? params['scope'].split(' ') : [];
  const resource = params['resource'] ?? `${issuer}/mcp`;
  return {
    provider,
    uid,
    clientId,
    clientName: client.clientName,
    clientUri: client.clientUri,
    redirectUri: String(params['redirect_uri']),
    scopes: asked.filter((scope) => known.includes(scope)),
    otherScopes: asked.filter((scope) => scope === 'openid' || scope === 'offline_access'),
    resources: (Array.isArray(resource) ? resource : [resource]).map(String),
    mustAsk: typeof params['prompt'] === 'string' && /\b(?:consent|login)\b/.test(params['prompt']),
  };
}

/** An agent acts as itself; who runs the hub may have clients act as any agent. */
async function choosable(
  agents: ConsentOptions['agents'],
  { principal }: BrowserSession,
): Promise<readonly Agent[]> {
  if (principal.kind === 'agent') {
    const own = await agents.find(principal.id);
    if (own === undefined || !own.enabled) throw new HubError('forbidden', 'this agent is switched off');
    return [own];
  }
  if (principal.role === 'viewer')
    throw new HubError('forbidden', 'viewers cannot let programs act as an agent');
  const enabled = (await agents.list()).filter((agent) => agent.enabled);
  if (enabled.length === 0) throw new HubError('forbidden', 'there is no agent that it could act as');
  return enabled;
}

/**
 * Whether the same was allowed before. Of a client that anybody can pretend to be, because its id is public and its
 * answer goes to whatever program listens on this machine, that is asked each time (RFC 8252, section 8.6).
 */
function covers(approved: ApprovedClient, { clientId, redirectUri, scopes, mustAsk }: Wish): boolean {
  const isImitable = clientId.startsWith('https://') && !isWebRedirect(redirectUri);
  return (
    !mustAsk &&
    !isImitable &&
    isRegisteredRedirect([approved.redirectUri], redirectUri) &&
    scopes.every((scope) => approved.scopes.includes(scope))
  );
}

async function finish(
  { approvals }: ConsentOptions,
  wish: Wish,
  agent: Agent,
  session: BrowserSession,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { provider, clientId, scopes, otherScopes, resources, redirectUri } = wish;
  const grant: Grant = new provider.Grant({ accountId: agent.id, clientId });
  for (const resource of resources) grant.addResourceScope(resource, [...scopes]);
  grant.addOIDCScope([...otherScopes, ...scopes]);
  const grantId = await grant.save();
  await approvals.approve(
    { clientId, name: wish.clientName ?? '', agent: agent.id, scopes, redirectUri },
    actorOf(session),
  );
  await provider.interactionFinished(
    request,
    response,
    { login: { accountId: agent.id, remember: false }, consent: { grantId } },
    { mergeWithLastSubmission: false },
  );
}

function actorOf({ principal }: BrowserSession): Actor {
  return principal.kind === 'agent'
    ? { kind: 'agent', id: principal.id }
    : { kind: 'admin', id: principal.id };
}

function nameOf({ principal }: BrowserSession): string {
  return principal.kind === 'agent' ? `agent ${principal.id}` : `${principal.id} (${principal.role})`;
}
