/** A simulation as one SVG image: load, who waited how long, fairness and prices over the blocks. */
import type { BlockMeasure } from './block-measure.ts'
import type { SimulationReport } from './run-scenario.ts'

interface Series {
  readonly label: string
  readonly colour: string
  readonly points: readonly Point[]
  /** Curves join their points; dots stand alone, for what does not happen in every block. */
  readonly shape: 'curve' | 'dashes' | 'dots'
}

interface Point {
  readonly block: number
  readonly value: number
}

interface Panel {
  readonly title: string
  readonly series: readonly Series[]
}

const WIDTH = 960
const PLOT_HEIGHT = 130
/** Room above a plot for its heading and legend, and below it for the blocks. */
const HEAD_HEIGHT = 44
const PANEL_HEIGHT = HEAD_HEIGHT + PLOT_HEIGHT + 34
const LEFT = 64
const RIGHT = 20
const TOP = 40
const LETTER_WIDTH = 6.6
const COLOURS = ['#c2410c', '#1d4ed8', '#15803d', '#7e22ce', '#db2777', '#0f766e', '#a16207', '#475569'] as const

export function renderPlot(report: SimulationReport): string {
  const { scenario, blocks } = report
  const panels = listPanels(report)
  const height = TOP + panels.length * PANEL_HEIGHT
  const title = `${scenario.name}: ${scenario.blocks} blocks`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${escapeText(title)}" font-family="system-ui, sans-serif" font-size="12">`,
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    `<text x="${LEFT}" y="28" font-size="16" font-weight="600" fill="#111827">${escapeText(title)}</text>`,
    ...panels.map((panel, index) => drawPanel(panel, blocks.length, TOP + index * PANEL_HEIGHT)),
    '</svg>',
    '',
  ].join('\n')
}

function listPanels({ blocks, plans }: SimulationReport): readonly Panel[] {
  const curve = (label: string, colour: string, measure: (row: BlockMeasure) => number): Series => {
    const points = blocks.map((row) => ({ block: Number(row.height), value: measure(row) }))
    return { label, colour, points, shape: 'curve' }
  }
  const perCell = curve('per cell', COLOURS[5], (row) => Number(row.basefeeCells))
  return [
    { title: 'fires per block', series: [curve('fires', COLOURS[1], (row) => row.fires)] },
    { title: 'timers due and still waiting', series: [curve('waiting', COLOURS[0], (row) => row.waiting)] },
    {
      title: 'blocks waited, one dot per fire',
      series: plans.map(({ name, served }, index) => ({
        label: name,
        colour: COLOURS[index % COLOURS.length] ?? COLOURS[0],
        points: served.map(({ height, waitBlocks }) => ({ block: height, value: waitBlocks })),
        shape: 'dots',
      })),
    },
    {
      title: 'fairness: how evenly the slots of a block went to the targets it served (1 is equal shares)',
      series: [curve('Jain’s index', COLOURS[2], (row) => row.fairness)],
    },
    {
      title: 'basefee',
      series: [
        curve('per cycle', COLOURS[3], (row) => Number(row.basefeeCycles)),
        // They often move together; dashes let the one below be seen.
        { ...perCell, shape: 'dashes' },
      ],
    },
  ]
}

function drawPanel({ title, series }: Panel, blockCount: number, panelTop: number): string {
  const top = panelTop + HEAD_HEIGHT
  const bottom = top + PLOT_HEIGHT
  const span = WIDTH - LEFT - RIGHT
  const most =
    series.reduce((high, { points }) => points.reduce((max, { value }) => Math.max(max, value), high), 0) || 1
  const x = (block: number) => LEFT + (blockCount < 2 ? 0 : ((block - 1) * span) / (blockCount - 1))
  const y = (value: number) => bottom - (value / most) * PLOT_HEIGHT
  const rows = [0, 0.5, 1].map((part) => {
    const at = y(most * part).toFixed(1)
    const label = `<text x="${LEFT - 8}" y="${at}" dy="4" text-anchor="end" fill="#6b7280">${formatTick(most * part)}</text>`
    return `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${at}" y2="${at}" stroke="#e5e7eb"/>${label}`
  })
  const columns = listTicks(blockCount).map((block, index, all) => {
    const at = x(block).toFixed(1)
    const anchor = index === 0 ? 'start' : index === all.length - 1 ? 'end' : 'middle'
    const label = `<text x="${at}" y="${bottom + 16}" text-anchor="${anchor}" fill="#6b7280">${index === 0 ? 'block ' : ''}${block}</text>`
    return `<line x1="${at}" x2="${at}" y1="${top}" y2="${bottom}" stroke="#f3f4f6"/>${label}`
  })
  const heading = `<text x="${LEFT}" y="${panelTop + 14}" font-weight="600" fill="#374151">${escapeText(title)}</text>`
  const shapes = series.map((each) => drawSeries(each, x, y))
  return [heading, drawLegend(series, panelTop + 32), ...columns, ...rows, ...shapes].join('\n')
}

function drawSeries({ points, colour, shape }: Series, x: (block: number) => number, y: (v: number) => number): string {
  const places = points.map(({ block, value }) => [x(block).toFixed(1), y(value).toFixed(1)] as const)
  if (shape === 'dots') {
    return places.map(([cx, cy]) => `<circle cx="${cx}" cy="${cy}" r="2" fill="${colour}" opacity="0.75"/>`).join('')
  }
  const dashes = shape === 'dashes' ? ' stroke-dasharray="5 4"' : ''
  return `<polyline points="${places.map((place) => place.join(',')).join(' ')}" fill="none" stroke="${colour}" stroke-width="1.6"${dashes}/>`
}

/** Left to right, as many as fit. */
function drawLegend(series: readonly Series[], y: number): string {
  // A heading says enough about a single curve.
  if (series.length < 2) return ''
  let at = LEFT
  const labels: string[] = []
  for (const [index, { label, colour }] of series.entries()) {
    const text = label.length > 28 ? `${label.slice(0, 27)}…` : label
    const width = 14 + text.length * LETTER_WIDTH + 18
    if (at + width > WIDTH - RIGHT - 60) {
      labels.push(`<text x="${at}" y="${y}" fill="#6b7280">and ${series.length - index} more</text>`)
      break
    }
    const mark = `<rect x="${at}" y="${y - 8}" width="8" height="8" fill="${colour}"/>`
    labels.push(`${mark}<text x="${at + 14}" y="${y}" fill="#374151">${escapeText(text)}</text>`)
    at += width
  }
  return labels.join('')
}

/** The first block, the last, and quarters between where there are any. */
function listTicks(blockCount: number): readonly number[] {
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((part) => 1 + Math.round((blockCount - 1) * part))
  return blockCount < 8 ? [...new Set([1, blockCount])] : ticks
}

function formatTick(value: number): string {
  if (value >= 1e6) return value.toExponential(1)
  return value >= 10 || Number.isInteger(value) ? value.toFixed(0) : value.toFixed(2)
}

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`)
}
