import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { connectorList, useConnectorWrites, type ConnectorView } from '../api/connectors.js';
import type { StatusView } from '../api/status.js';
import { useMay } from '../api/use-session.js';
import { Badge } from '../shared/badge.js';
import { Button, ButtonLink } from '../shared/button.js';
import { Notice } from '../shared/notice.js';
import { Section } from '../shared/page.js';
import { PlainLine } from '../shared/plain.js';
import { connectorNeeds } from './connector-needs.js';

const MOST = 10;

/** What should be looked at now, each with what mends it. */
export function Attention({ status }: { readonly status: StatusView }) {
  const { data: connectors = [] } = useQuery(connectorList);
  const needy = connectors.flatMap((connector) => {
    const need = connectorNeeds(connector);
    return need === undefined ? [] : [{ connector, need }];
  });
  if (needy.length === 0 && status.audit.available) return null;
  return (
    <Section title="Needs attention">
      {!status.audit.available && (
        <Notice tone="bad">
          The event log cannot be written, so calls are refused. Make room or repair the store; the hub goes
          on by itself.
        </Notice>
      )}
      <ul className="divide-y divide-line" aria-label="Needs attention">
        {needy.slice(0, MOST).map(({ connector, need }) => (
          <li key={connector.id} className="flex flex-wrap items-center gap-x-4 gap-y-2 py-2.5">
            <div className="min-w-0 flex-1 basis-64">
              <PlainLine text={connector.name} className="font-medium" most={80} />{' '}
              <Badge tone={need.tone}>{need.label}</Badge>
              <p className="text-sm text-muted">
                <PlainLine text={need.text} most={300} />
              </p>
            </div>
            <Mend connector={connector} action={need.action} />
          </li>
        ))}
      </ul>
      {needy.length > MOST && (
        <p className="mt-2">
          <ButtonLink to="/connectors">{needy.length - MOST} more</ButtonLink>
        </p>
      )}
    </Section>
  );
}

function Mend({
  connector,
  action,
}: {
  readonly connector: ConnectorView;
  readonly action: 'sync' | 'credential';
}): ReactNode {
  const mayRun = useMay('operator');
  const { sync } = useConnectorWrites();
  const { id } = connector;
  if (action === 'credential')
    return (
      <ButtonLink kind="primary" small to="/connectors/$id" params={{ id }} search={{ tab: 'credentials' }}>
        {!mayRun ? 'Look' : connector.auth.type === 'oauth' ? 'Sign in' : 'Store it'}
      </ButtonLink>
    );
  return (
    <div className="flex gap-2">
      {mayRun && (
        <Button small busy={sync.isPending} onClick={() => sync.mutate({ id })}>
          Try again
        </Button>
      )}
      <ButtonLink small to="/connectors/$id" params={{ id }} search={{ tab: 'history' }}>
        Look
      </ButtonLink>
    </div>
  );
}
