import { useConnectorWrites, type CheckAnswer, type ConnectorDetail } from '../api/connectors.js';
import { Badge } from '../shared/badge.js';
import { Button } from '../shared/button.js';
import { ProblemNotice } from '../shared/notice.js';
import { Section } from '../shared/page.js';
import { PlainLine } from '../shared/plain.js';

type Step = CheckAnswer['steps'][number];

const NAMES: Readonly<Record<Step['step'], string>> = {
  command: 'Process',
  dns: 'Name',
  tcp: 'Port',
  tls: 'Encryption',
  http: 'Answer',
  era: 'Protocol',
  auth: 'Who may list',
  list: 'Tools',
  calls: 'Calls',
};

const STATES = {
  ok: { tone: 'good', label: 'works' },
  failed: { tone: 'bad', label: 'fails' },
  skipped: { tone: 'plain', label: 'not needed' },
} as const;

/** Tries the way to the server, one step after another. */
export function ConnectionCheck({ connector }: { readonly connector: ConnectorDetail }) {
  const { check } = useConnectorWrites();
  return (
    <Section
      title="Test the connection"
      lead="From the name of the server to the list of its tools, without a credential."
      actions={
        <Button small busy={check.isPending} onClick={() => check.mutate(connector.id)}>
          {check.isPending ? 'Testing…' : 'Test'}
        </Button>
      }
    >
      <div aria-live="polite">
        {check.error !== null && <ProblemNotice error={check.error} />}
        {check.data !== undefined && (
          <ol className="grid gap-2" aria-label="Steps">
            {check.data.steps.map((step) => (
              <li key={step.step} className="grid gap-x-4 sm:grid-cols-[8rem_6rem_1fr]">
                <span className="font-medium">{NAMES[step.step]}</span>
                <span>
                  <Badge tone={STATES[step.state].tone}>{STATES[step.state].label}</Badge>
                </span>
                <span>
                  <PlainLine text={step.detail} most={300} />
                  {step.advice !== undefined && <span className="block text-muted">{step.advice}</span>}
                </span>
              </li>
            ))}
          </ol>
        )}
      </div>
    </Section>
  );
}
