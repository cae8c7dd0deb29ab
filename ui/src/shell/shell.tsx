import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { Activity, Bot, Gauge, Plug, Settings, ShieldCheck, Wrench } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { AccountBar } from './account-bar.js';

const PLACES = [
  { to: '/', label: 'Overview', Icon: Gauge },
  { to: '/connectors', label: 'Connectors', Icon: Plug },
  { to: '/tools', label: 'Tools', Icon: Wrench },
  { to: '/agents', label: 'Agents', Icon: Bot },
  { to: '/policies', label: 'Policies', Icon: ShieldCheck },
  { to: '/events', label: 'Events', Icon: Activity },
  { to: '/settings', label: 'Settings', Icon: Settings },
] as const;

/** What is around every page. */
export function Shell() {
  const main = useFocusOnNewPage();
  const places = usePlaceInSight();
  return (
    <div className="min-h-dvh lg:grid lg:grid-cols-[13.5rem_minmax(0,1fr)]">
      <a
        href="#main"
        className="fixed -top-20 left-2 z-20 rounded-md bg-accent px-3 py-2 text-on-accent focus:top-2"
      >
        Skip to the page
      </a>
      <header className="border-line bg-surface max-lg:border-b lg:sticky lg:top-0 lg:flex lg:h-dvh lg:flex-col lg:border-r">
        <div className="flex items-center justify-between gap-2 px-4 pt-3 pb-1 lg:pt-5 lg:pb-4">
          <Link to="/" className="flex items-center gap-2 rounded text-lg font-semibold tracking-tight">
            <Mark />
            Crosspoint
          </Link>
        </div>
        <nav aria-label="Main" className="lg:flex-1">
          <ul ref={places} className="flex gap-0.5 overflow-x-auto px-2 pb-2 lg:flex-col">
            {PLACES.map(({ to, label, Icon }) => (
              <li key={to} className="shrink-0">
                <Link
                  to={to}
                  activeOptions={{ exact: to === '/', includeSearch: false }}
                  className="flex items-center gap-2.5 rounded-md px-2.5 py-1.5 font-medium text-muted -outline-offset-2 hover:bg-sunken hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:text-accent-strong"
                >
                  <Icon aria-hidden className="size-4 max-sm:hidden" />
                  {label}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <AccountBar />
      </header>
      <main
        ref={main}
        id="main"
        tabIndex={-1}
        className="mx-auto w-full max-w-6xl min-w-0 px-4 py-5 sm:px-6 lg:py-7"
      >
        <Outlet />
      </main>
    </div>
  );
}

/** Whoever does not see the page change is put at its beginning. */
function useFocusOnNewPage() {
  const main = useRef<HTMLElement>(null);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const before = useRef(path);
  useEffect(() => {
    if (before.current === path) return;
    before.current = path;
    main.current?.focus({ preventScroll: true });
  }, [path]);
  return main;
}

/** On a small screen not all places are in sight, but the one where one is must be. */
function usePlaceInSight() {
  const places = useRef<HTMLUListElement>(null);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  useEffect(() => {
    const place = places.current?.querySelector('[aria-current=page]');
    place?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [path]);
  return places;
}

function Mark() {
  return (
    <svg aria-hidden viewBox="0 0 32 32" className="size-6 shrink-0">
      <rect width="32" height="32" rx="7" className="fill-accent" />
      <path
        d="M8 8v16M16 8v16M24 8v16M8 8h16M8 16h16M8 24h16"
        className="stroke-on-accent opacity-50"
        strokeWidth="1.5"
      />
      <circle cx="16" cy="16" r="4.5" className="fill-on-accent" />
    </svg>
  );
}
