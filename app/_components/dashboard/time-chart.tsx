"use client";

import { useTranslations } from "next-intl";
import { useState } from "react";
import {
  Area,
  Bar,
  CartesianGrid,
  ComposedChart,
  Line,
  pattern,
  patterns,
  ReferenceArea,
  ReferenceLine,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from "recharts";
import type { Curve } from "./chart-data.ts";
import type { ChartProps } from "./chart-figure.tsx";
import { durationTicks } from "./duration-ticks.ts";
import { ChartTooltip } from "./chart-tooltip.tsx";
import { useBucketText } from "./use-bucket-text.ts";

const HEIGHT = 190;
/** The library draws bars at 300 and curves at 400. */
const ABOVE_BARS = 450;
const AXIS = { tickLine: false, axisLine: false, tick: { fontSize: 11, fill: "var(--color-ink-3)" } } as const;
const CURVE = { isAnimationActive: false, stackId: "all" } as const;
const hatched = pattern({ ...patterns.diagonal, color: "var(--color-card)", opacity: 0.75 });

/**
 * A chart over time. The last bucket is not over, so it is veiled by hatching instead of looking like a dip; dashed lines
 * mark what operators did. Dragging over it zooms all charts of the section. Its numbers are in the table beside it.
 */
export function TimeChart({
  series,
  rows,
  curves,
  format,
  formatAxis,
  threshold,
  isDuration,
  isZoomed,
  zoom,
}: ChartProps) {
  const t = useTranslations("charts");
  const bucketText = useBucketText(series.range);
  const [drag, setDrag] = useState<{ from: string; to: string }>();
  const hasBars = curves.some(({ kind }) => kind === "bar");
  const last = rows.at(-1)?.at;
  const isOpen = last !== undefined && last === series.starts.at(-1);
  const data = rows.map(({ at, values }) => ({ at, ...values }));
  const top = Math.max(
    threshold?.value ?? 0,
    ...rows.flatMap(({ values }) => curves.map(({ key }) => values[key] ?? 0)),
  );
  const durations = isDuration && durationTicks(top);
  const marked = rows.filter(({ actions }) => actions.length > 0);
  const release = () => {
    setDrag(undefined);
    if (!drag || drag.from === drag.to) return;
    const [from = drag.from, to = drag.to] = [drag.from, drag.to].sort();
    zoom({ from, to });
  };
  return (
    <div
      aria-hidden="true"
      // The library measures a narrower frame only after it was painted; until then the page must not scroll sideways.
      className="mt-1 overflow-x-clip select-none"
      title={isZoomed ? undefined : t("zoomHint")}
      onMouseLeave={() => setDrag(undefined)}
    >
      <ResponsiveContainer width="100%" height={HEIGHT} initialDimension={{ width: 320, height: HEIGHT }}>
        <ComposedChart
          data={data}
          syncId="dashboard"
          syncMethod="value"
          accessibilityLayer={false}
          margin={{ top: 10, right: 4, bottom: 0, left: 0 }}
          barCategoryGap="12%"
          onMouseDown={({ activeLabel }) => {
            if (activeLabel !== undefined) setDrag({ from: String(activeLabel), to: String(activeLabel) });
          }}
          onMouseMove={({ activeLabel }) => {
            if (drag && activeLabel !== undefined) setDrag({ ...drag, to: String(activeLabel) });
          }}
          onMouseUp={release}
        >
          <CartesianGrid vertical={false} stroke="var(--color-line)" />
          <XAxis
            {...AXIS}
            dataKey="at"
            tickFormatter={(at: string) => bucketText(at)}
            minTickGap={48}
            interval="preserveStartEnd"
            scale={hasBars ? "band" : "point"}
          />
          <YAxis
            {...AXIS}
            width={58}
            tickCount={4}
            allowDecimals={false}
            tickFormatter={(value: number) => formatAxis(value)}
            {...(durations ? { ticks: durations, domain: [0, durations.at(-1) ?? 1] } : { domain: [0, "auto"] })}
          />
          <Tooltip
            isAnimationActive={false}
            cursor={hasBars ? { fill: "var(--color-soft)" } : { stroke: "var(--color-ink-3)" }}
            content={({ active, label }) =>
              active ? (
                <ChartTooltip
                  row={rows.find(({ at }) => at === label)}
                  curves={curves}
                  format={format}
                  title={bucketText(String(label))}
                  isOpen={isOpen && label === last}
                />
              ) : null
            }
          />
          {curves.map((curve) => drawCurve(curve))}
          {threshold && <ReferenceLine y={threshold.value} stroke="var(--color-warn)" strokeDasharray="4 3" />}
          {marked.map(({ at }) => (
            <ReferenceLine
              key={at}
              x={at}
              stroke="var(--color-ink-2)"
              strokeDasharray="2 3"
              label={{ value: "▾", position: "top", fontSize: 11, fill: "var(--color-ink-2)" }}
            />
          ))}
          {isOpen && (
            <ReferenceArea
              // Without an end it reaches to the edge: a bar is as wide as its bucket, a curve ends in it.
              x1={hasBars ? last : (rows.at(-2)?.at ?? last)}
              stroke="none"
              fillOpacity={1}
              fill={{ color: "var(--chart-veil)", definition: hatched }}
              zIndex={ABOVE_BARS}
              className="chart-open-bucket"
            />
          )}
          {drag && drag.from !== drag.to && (
            <ReferenceArea x1={drag.from} x2={drag.to} fill="var(--color-accent)" fillOpacity={0.15} />
          )}
        </ComposedChart>
      </ResponsiveContainer>
    </div>
  );
}

function drawCurve({ key, name, kind, colour, isHatched }: Curve) {
  const fill = isHatched ? { color: colour, definition: hatched } : colour;
  switch (kind) {
    case "area":
      return (
        <Area
          key={key}
          {...CURVE}
          dataKey={key}
          name={name}
          type="linear"
          stroke={colour}
          strokeWidth={1}
          fill={fill}
          fillOpacity={0.55}
          activeDot={false}
        />
      );
    case "bar":
      return <Bar key={key} {...CURVE} dataKey={key} name={name} fill={fill} />;
    case "line":
      return (
        <Line
          key={key}
          isAnimationActive={false}
          dataKey={key}
          name={name}
          type="linear"
          stroke={colour}
          strokeWidth={1.75}
          dot={false}
          activeDot={{ r: 3 }}
        />
      );
  }
}
