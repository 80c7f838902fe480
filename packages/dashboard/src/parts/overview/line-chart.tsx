/** A small chart of one or two lines over time. Drawn by uPlot on a canvas; the figures are beside it as text. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type UPlot from 'uplot'

const DARK = '(prefers-color-scheme: dark)'
const HEIGHT = 84
const COLOURS = ['--accent', '--violet'] as const

export type Line = readonly (number | null)[]

interface LineChartProps {
  /** What is drawn, and how much it is now, for those who cannot see it. */
  readonly label: string
  /** Seconds since 1970. */
  readonly times: readonly number[]
  readonly lines: readonly Line[]
  /** The bucket under the pointer; null: none. */
  onPoint(index: number | null): void
}

export function LineChart({ label, times, lines, onPoint }: LineChartProps) {
  const box = useRef<HTMLDivElement>(null)
  const plot = useRef<UPlot | null>(null)
  const data = useRef<UPlot.AlignedData>([[], []])
  const point = useRef(onPoint)
  const isDark = useDark()
  data.current = [[...times], ...lines.map((line) => [...line])]
  point.current = onPoint

  useEffect(() => {
    let isGone = false
    const element = box.current
    if (element === null) return
    const resizes = new ResizeObserver(() => {
      plot.current?.setSize({ width: element.clientWidth, height: HEIGHT })
    })
    // Loaded apart: the page shows its text first.
    void import('uplot').then(({ default: Plot }) => {
      if (isGone) return
      const options = formOptions(element.clientWidth, lines.length, (index) => point.current(index))
      plot.current = new Plot(options, data.current, element)
      resizes.observe(element)
    })
    return () => {
      isGone = true
      resizes.disconnect()
      plot.current?.destroy()
      plot.current = null
    }
  }, [isDark, lines.length])

  useEffect(() => {
    plot.current?.setData(data.current)
  })

  return <div ref={box} class="chart" role="img" aria-label={label} />
}

function formOptions(width: number, lines: number, onPoint: (index: number | null) => void): UPlot.Options {
  const style = getComputedStyle(document.documentElement)
  const colour = (name: string) => style.getPropertyValue(name).trim()
  return {
    width,
    height: HEIGHT,
    padding: [6, 0, 7, 0],
    legend: { show: false },
    cursor: { y: false, points: { size: 6 }, drag: { x: false, y: false } },
    scales: { y: { range: (_, __, max) => [0, max > 0 ? max * 1.1 : 1.1] } },
    axes: [
      { show: false },
      {
        // Room for the longest label: a low base fee has many digits.
        size: (_, values) => Math.max(38, 10 + 7 * Math.max(0, ...(values ?? []).map((label) => label.length))),
        gap: 4,
        font: `11px ${style.fontFamily}`,
        stroke: colour('--muted'),
        grid: { stroke: colour('--line'), width: 1 },
        ticks: { show: false },
        splits: (_, __, ___, max) => [0, max / 2.2, max / 1.1],
        values: (_, splits) => splits.map(shortNumber),
      },
    ],
    series: [
      {},
      ...Array.from({ length: lines }, (_, index) => {
        const stroke = colour(COLOURS[index] ?? '--accent')
        return {
          stroke,
          width: 1.5,
          spanGaps: true,
          points: { show: false },
          ...(index === 0 && { fill: `color-mix(in srgb, ${stroke} 12%, transparent)` }),
        }
      }),
    ],
    hooks: { setCursor: [(drawn) => onPoint(drawn.cursor.idx ?? null)] },
  }
}

/** 0, 0.25, 3.1, 42, 1.2k; small fractions are longer. */
function shortNumber(value: number): string {
  if (value >= 10_000) return `${Math.round(value / 1_000)}k`
  if (value >= 1_000) return `${(value / 1_000).toFixed(1)}k`
  if (value >= 10) return String(Math.round(value))
  return String(Number(value.toPrecision(2)))
}

function useDark(): boolean {
  const [isDark, setDark] = useState(() => matchMedia(DARK).matches)
  useEffect(() => {
    const media = matchMedia(DARK)
    const follow = () => setDark(media.matches)
    media.addEventListener('change', follow)
    return () => media.removeEventListener('change', follow)
  }, [])
  return isDark
}
