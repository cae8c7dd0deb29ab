import type { PolicyVersionView, PolicyView } from '../../../contract/index.js';
import type { Policy, PolicyVersion } from '../../../governance/index.js';
import { toTime } from './secret-state.js';

export function toPolicyView({ id, text, source, version, updatedAt }: Policy): PolicyView {
  return { id, text, source, readOnly: source !== 'stored', version, updatedAt: toTime(updatedAt) };
}

export function toVersionView({ policy, version, at, by, text }: PolicyVersion): PolicyVersionView {
  return {
    policy,
    version,
    at: toTime(at),
    ...(by !== undefined && { by }),
    removed: text === undefined,
  };
}
