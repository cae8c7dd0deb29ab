import type { CheckAnswer } from '../api/connectors.js';
import { Badge } from '../shared/badge.js';
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

/** The way to a server, one step after another. */
export function CheckSteps({ steps }: { readonly steps: readonly Step[] }) {
  return (
    <ol className="grid gap-2" aria-label="Steps">
      {steps.map((step) => (
        <li key={step.step} className="grid gap-x-4 sm:grid-cols-[7rem_6rem_1fr]">
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
  );
}
