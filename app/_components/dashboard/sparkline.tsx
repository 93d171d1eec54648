"use client";

const WIDTH = 120;
const HEIGHT = 24;

/** The course of a number over the last hour; decoration, the numbers beside it carry the meaning. Gaps stay gaps. */
export function Sparkline({ values, className = "" }: { values: readonly (number | null)[]; className?: string }) {
  const highest = Math.max(1, ...values.map((value) => value ?? 0));
  const step = WIDTH / Math.max(1, values.length - 1);
  const lines = runsOf(values).map((run) =>
    run.map(({ index, value }) => `${round(index * step)},${round(HEIGHT - 1 - (value / highest) * (HEIGHT - 3))}`),
  );
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      data-points={values.length}
      className={`h-6 w-full ${className}`}
    >
      {lines.map((points) => (
        <polyline
          key={points[0]}
          points={points.join(" ")}
          fill="none"
          stroke="currentColor"
          strokeWidth="1.5"
          strokeLinejoin="round"
          vectorEffect="non-scaling-stroke"
        />
      ))}
    </svg>
  );
}

/** Bars of a count per step; decoration as well. */
export function SparkBars({ values, className = "" }: { values: readonly number[]; className?: string }) {
  const highest = Math.max(1, ...values);
  return (
    <svg viewBox={`0 0 ${values.length * 4} ${HEIGHT}`} aria-hidden="true" className={`h-6 ${className}`}>
      {values.map((value, index) => {
        const height = value === 0 ? 1 : Math.max(2, (value / highest) * HEIGHT);
        return <rect key={index} x={index * 4} y={HEIGHT - height} width="3" height={height} fill="currentColor" />;
      })}
    </svg>
  );
}

function runsOf(values: readonly (number | null)[]): { index: number; value: number }[][] {
  const runs: { index: number; value: number }[][] = [];
  let isOpen = false;
  values.forEach((value, index) => {
    if (value === null) {
      isOpen = false;
      return;
    }
    if (isOpen) runs.at(-1)?.push({ index, value });
    else runs.push([{ index, value }]);
    isOpen = true;
  });
  return runs.filter((run) => run.length > 1);
}

function round(coordinate: number): number {
  return Math.round(coordinate * 10) / 10;
}
