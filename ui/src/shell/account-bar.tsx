import { useQuery } from '@tanstack/react-query';
import { LogOut } from 'lucide-react';
import { useState } from 'react';
import { currentSession, signOut } from '../api/session.js';
import { useLiveState } from '../api/use-live.js';
import { Button } from '../shared/button.js';
import { SelectField } from '../shared/field.js';
import { PlainLine } from '../shared/plain.js';
import { chooseTheme, chosenTheme, THEMES, type Theme } from './theme.js';

const LIVE = {
  connecting: { text: 'Connecting…', dot: 'bg-edge' },
  live: { text: 'Live', dot: 'bg-good' },
  lost: { text: 'Connection lost, trying again', dot: 'bg-bad' },
} as const;

const THEME_NAMES: Readonly<Record<Theme, string>> = {
  system: 'As the system',
  light: 'Light',
  dark: 'Dark',
};

/** Who is signed in, whether what is shown is current, and how it looks. */
export function AccountBar() {
  const { data } = useQuery(currentSession);
  const { text, dot } = LIVE[useLiveState()];
  const [theme, setTheme] = useState(chosenTheme);
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 pb-3 text-sm lg:flex-col lg:items-stretch lg:border-t lg:border-line lg:py-4">
      <p role="status" className="flex items-center gap-2 text-muted">
        <span aria-hidden className={`size-2 rounded-full ${dot}`} />
        {text}
      </p>
      <div className="max-lg:w-36">
        <SelectField
          label="Colours"
          hideLabel
          value={theme}
          choices={THEMES.map((value) => ({ value, label: THEME_NAMES[value] }))}
          onText={(value) => {
            const chosen = THEMES.find((each) => each === value) ?? 'system';
            chooseTheme(chosen);
            setTheme(chosen);
          }}
        />
      </div>
      {data !== undefined && (
        <div className="flex min-w-0 items-center gap-2 max-lg:ml-auto lg:justify-between">
          <p className="min-w-0 leading-tight">
            <PlainLine text={data.admin.id} className="font-medium" />
            <span className="block text-muted">{data.admin.role}</span>
          </p>
          {data.session !== undefined && (
            <Button kind="quiet" small onClick={() => void signOut()}>
              <LogOut aria-hidden className="size-4" />
              Sign out
            </Button>
          )}
        </div>
      )}
    </div>
  );
}
