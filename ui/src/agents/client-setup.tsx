import { Code } from '../shared/code.js';
import { Tabs } from '../shared/tabs.js';
import { clientConfigurations } from './client-configurations.js';

/** Ready to paste. Without a key at hand, a word stands where it belongs. */
export function ClientSetup({ secret }: { readonly secret?: string | undefined }) {
  const configurations = clientConfigurations(`${window.location.origin}/mcp`, secret ?? '<key>');
  return (
    <Tabs
      label="Clients"
      views={configurations.map(({ id, client, place, text }) => ({
        id,
        label: client,
        content: (
          <div className="grid gap-2">
            <p className="text-sm text-muted">{place}</p>
            <Code text={text} label={`Configuration for ${client}`} />
          </div>
        ),
      }))}
    />
  );
}
