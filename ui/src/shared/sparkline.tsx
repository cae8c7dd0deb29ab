const WIDTH = 60;
const HEIGHT = 18;

/** The shape of a row of numbers. What they are stands beside it in words. */
export function Sparkline({ values }: { readonly values: readonly number[] }) {
  const most = Math.max(1, ...values);
  const step = WIDTH / Math.max(1, values.length - 1);
  const points = values.map(
    (value, index) =>
      `${(index * step).toFixed(1)},${(HEIGHT - 1 - (value / most) * (HEIGHT - 2)).toFixed(1)}`,
  );
  return (
    <svg aria-hidden viewBox={`0 0 ${WIDTH} ${HEIGHT}`} className="h-4.5 w-15 shrink-0">
      <polyline points={points.join(' ')} fill="none" className="stroke-accent" strokeWidth="1.5" />
    </svg>
  );
}
