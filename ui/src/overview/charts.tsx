import type { StatisticsView } from '../api/status.js';
import { toDuration } from '../shared/time.js';

type Minutes = StatisticsView['minutes'];

const WIDTH = 600;
const HEIGHT = 140;
const BOTTOM = 18;
const LEFT = 56;

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });

function timeOf({ at }: Minutes[number]): string {
  return clock.format(new Date(at));
}

/** Calls in each minute: what worked below, what failed and what was denied above it. */
export function CallChart({ minutes }: { readonly minutes: Minutes }) {
  const most = niceMaximum(Math.max(1, ...minutes.map(({ calls }) => calls)));
  const step = (WIDTH - LEFT) / minutes.length;
  const scale = (HEIGHT - BOTTOM - 6) / most;
  return (
    <Frame
      title="Calls per minute"
      label={`Calls per minute over the last hour, at most ${Math.max(...minutes.map(({ calls }) => calls))}`}
      legend={[
        { label: 'worked', className: 'bg-accent' },
        { label: 'failed', className: 'bg-bad' },
        { label: 'denied', className: 'bg-warn' },
      ]}
      top={String(most)}
      minutes={minutes}
    >
      {minutes.map((minute, index) => {
        const { at, calls, failed, denied } = minute;
        const parts = [
          { name: 'worked', value: calls - failed - denied, className: 'fill-accent' },
          { name: 'failed', value: failed, className: 'fill-bad' },
          { name: 'denied', value: denied, className: 'fill-warn' },
        ];
        let below = 0;
        return (
          <g key={at}>
            <title>{`${timeOf(minute)}: ${calls} calls, ${failed} failed, ${denied} denied`}</title>
            {parts.map(({ name, value, className }) => {
              const y = HEIGHT - BOTTOM - (below + value) * scale;
              below += value;
              return value <= 0 ? null : (
                <rect
                  key={name}
                  x={LEFT + index * step + 1}
                  y={y}
                  width={Math.max(1, step - 2)}
                  height={value * scale}
                  className={className}
                />
              );
            })}
          </g>
        );
      })}
    </Frame>
  );
}

/** How long calls took in each minute that had some. */
export function LatencyChart({ minutes }: { readonly minutes: Minutes }) {
  const most = niceMaximum(Math.max(1, ...minutes.map(({ p99Ms }) => p99Ms ?? 0)));
  const step = (WIDTH - LEFT) / minutes.length;
  const points = (read: (minute: Minutes[number]) => number | undefined) =>
    minutes.flatMap((minute, index) => {
      const value = read(minute);
      return value === undefined
        ? []
        : [{ x: LEFT + (index + 0.5) * step, y: HEIGHT - BOTTOM - (value / most) * (HEIGHT - BOTTOM - 6) }];
    });
  const lines = [
    { name: 'p50', className: 'stroke-accent fill-accent', points: points(({ p50Ms }) => p50Ms) },
    { name: 'p99', className: 'stroke-warn fill-warn', points: points(({ p99Ms }) => p99Ms) },
  ];
  return (
    <Frame
      title="Time to answer"
      label={`Time to answer over the last hour, 99 of 100 calls took less than ${toDuration(most)} in every minute`}
      legend={[
        { label: 'half (p50)', className: 'bg-accent' },
        { label: '99 of 100 (p99)', className: 'bg-warn' },
      ]}
      top={toDuration(most)}
      minutes={minutes}
    >
      {lines.map(({ name, className, points: own }) => (
        <g key={name} className={className}>
          <polyline points={own.map(({ x, y }) => `${x},${y}`).join(' ')} fill="none" strokeWidth="1.5" />
          {own.map(({ x, y }) => (
            <circle key={x} cx={x} cy={y} r="2" stroke="none" />
          ))}
        </g>
      ))}
    </Frame>
  );
}

function Frame({
  title,
  label,
  legend,
  top,
  minutes,
  children,
}: {
  readonly title: string;
  readonly label: string;
  readonly legend: readonly { readonly label: string; readonly className: string }[];
  readonly top: string;
  readonly minutes: Minutes;
  readonly children: React.ReactNode;
}) {
  const [first] = minutes;
  const last = minutes.at(-1);
  return (
    <figure className="min-w-0">
      <figcaption className="mb-2 flex flex-wrap items-center gap-x-4 text-sm">
        <span className="font-medium">{title}</span>
        {legend.map((each) => (
          <span key={each.label} className="flex items-center gap-1.5 text-muted">
            <span aria-hidden className={`size-2.5 rounded-sm ${each.className}`} />
            {each.label}
          </span>
        ))}
      </figcaption>
      <svg role="img" aria-label={label} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} className="w-full">
        <g className="stroke-line">
          <line x1={LEFT} x2={WIDTH} y1={6} y2={6} />
          <line x1={LEFT} x2={WIDTH} y1={HEIGHT - BOTTOM} y2={HEIGHT - BOTTOM} />
        </g>
        <g className="fill-muted text-[12px]">
          <text x={LEFT - 6} y={10} textAnchor="end">
            {top}
          </text>
          <text x={LEFT - 6} y={HEIGHT - BOTTOM + 4} textAnchor="end">
            0
          </text>
          <text x={LEFT} y={HEIGHT - 3}>
            {first === undefined ? '' : timeOf(first)}
          </text>
          <text x={WIDTH} y={HEIGHT - 3} textAnchor="end">
            {last === undefined ? '' : timeOf(last)}
          </text>
        </g>
        {children}
      </svg>
    </figure>
  );
}

/** The next round number. */
function niceMaximum(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5].find((factor) => factor * power >= value) ?? 10) * power;
}
