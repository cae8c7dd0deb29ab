import type { PolicyExplanation } from '../api/policies.js';
import { Badge } from './badge.js';

const DECISIONS = {
  allow: { tone: 'good', label: 'allowed' },
  deny: { tone: 'bad', label: 'denied' },
  confirm: { tone: 'warn', label: 'after confirmation' },
} as const;

export function DecisionBadge({ decision }: { readonly decision: PolicyExplanation['decision'] }) {
  const { tone, label } = DECISIONS[decision];
  return <Badge tone={tone}>{label}</Badge>;
}
