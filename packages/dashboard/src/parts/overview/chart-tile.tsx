/** One figure: what it is now, and how it came there. */
import { useState } from 'preact/hooks'
import { formatClock } from '../../format/format-time.ts'
import { type Line, LineChart } from './line-chart.tsx'

export interface Plotted {
  readonly name: string
  readonly line: Line
}

interface ChartTileProps {
  readonly title: string
  readonly times: readonly number[]
  readonly plotted: readonly Plotted[]
  format(value: number): string
}

export function ChartTile({ title, times, plotted, format }: ChartTileProps) {
  const [point, setPoint] = useState<number | null>(null)
  const shown = plotted.map(({ name, line }) => {
    const value = point === null ? lastKnown(line) : (line[point] ?? null)
    return { name, text: value === null ? '–' : format(value), isKnown: value !== null }
  })
  const time = point === null ? undefined : times[point]
  const words = shown.map(({ name, text }) => `${name} ${text}`).join(', ')
  return (
    <section class="tile" aria-label={title}>
      <div class="tile-head">
        <h2>{title}</h2>
        <span class="muted figure">
          {time === undefined ? '' : formatClock(new Date(time * 1_000).toISOString(), new Date())}
        </span>
      </div>
      <p class="tile-figures">
        {shown.map(({ name, text, isKnown }, index) => (
          <span key={name} class={`tile-figure ${isKnown ? `is-${index}` : ''}`}>
            <strong class="figure">{text}</strong> <span class="muted">{name}</span>
          </span>
        ))}
      </p>
      <LineChart
        label={`${title}: ${words}`}
        times={times}
        lines={plotted.map(({ line }) => line)}
        onPoint={setPoint}
      />
    </section>
  )
}

/** The newest bucket that has a value: the last one may have only begun. */
function lastKnown(line: Line): number | null {
  return line.findLast((value) => value !== null) ?? null
}
