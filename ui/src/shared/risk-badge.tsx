import type { ToolView } from '../api/tools.js';
import { Badge } from './badge.js';

const RISKS = {
  read: { tone: 'good', label: 'reads' },
  write: { tone: 'warn', label: 'writes' },
  destructive: { tone: 'bad', label: 'may destroy' },
} as const;

export function RiskBadge({ risk }: { readonly risk: ToolView['risk'] }) {
  const { tone, label } = RISKS[risk];
  return <Badge tone={tone}>{label}</Badge>;
}
