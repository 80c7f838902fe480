/** A simulation as one SVG image: load, waits, fairness and prices over the blocks. */
import type { BlockMeasure } from './block-measure.ts'
import type { SimulationReport } from './run-scenario.ts'

interface Line {
  readonly label: string
  readonly colour: string
  readonly measure: (row: BlockMeasure) => number
}

interface Panel {
  readonly title: string
  readonly lines: readonly Line[]
}

const WIDTH = 960
const PANEL_HEIGHT = 150
const PANEL_GAP = 46
const LEFT = 64
const RIGHT = 20
const TOP = 56

const PANELS: readonly Panel[] = [
  {
    title: 'timers per block',
    lines: [
      { label: 'waiting', colour: '#c2410c', measure: (row) => row.waiting },
      { label: 'fires', colour: '#1d4ed8', measure: (row) => row.fires },
    ],
  },
  {
    title: 'wait in blocks',
    lines: [
      { label: 'oldest still waiting', colour: '#c2410c', measure: (row) => row.oldestWaitBlocks },
      { label: 'mean of those served', colour: '#1d4ed8', measure: (row) => row.meanWaitBlocks },
    ],
  },
  {
    title: 'fairness among the targets of a block (Jain)',
    lines: [{ label: 'index', colour: '#15803d', measure: (row) => row.fairness }],
  },
  {
    title: 'basefee',
    lines: [
      { label: 'per cycle', colour: '#7e22ce', measure: (row) => Number(row.basefeeCycles) },
      { label: 'per cell', colour: '#0f766e', measure: (row) => Number(row.basefeeCells) },
    ],
  },
]

export function renderPlot({ scenario, blocks }: SimulationReport): string {
  const height = TOP + PANELS.length * (PANEL_HEIGHT + PANEL_GAP)
  const title = `${scenario.name}: ${scenario.blocks} blocks`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${escapeText(title)}" font-family="system-ui, sans-serif" font-size="12">`,
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    `<text x="${LEFT}" y="26" font-size="16" font-weight="600" fill="#111827">${escapeText(title)}</text>`,
    ...PANELS.map((panel, index) => drawPanel(panel, blocks, TOP + index * (PANEL_HEIGHT + PANEL_GAP))),
    '</svg>',
    '',
  ].join('\n')
}

function drawPanel({ title, lines }: Panel, rows: readonly BlockMeasure[], top: number): string {
  const most = rows.reduce((top, row) => lines.reduce((high, { measure }) => Math.max(high, measure(row)), top), 1e-9)
  const bottom = top + PANEL_HEIGHT
  const span = WIDTH - LEFT - RIGHT
  const x = (index: number) => LEFT + (rows.length < 2 ? 0 : (index * span) / (rows.length - 1))
  const y = (value: number) => bottom - (value / most) * PANEL_HEIGHT
  const grid = [0, 0.5, 1].map((part) => {
    const at = y(most * part).toFixed(1)
    const label = `<text x="${LEFT - 8}" y="${at}" dy="4" text-anchor="end" fill="#6b7280">${formatTick(most * part)}</text>`
    return `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${at}" y2="${at}" stroke="#e5e7eb"/>${label}`
  })
  const curves = lines.map(({ colour, measure }) => {
    const points = rows.map((row, index) => `${x(index).toFixed(1)},${y(measure(row)).toFixed(1)}`).join(' ')
    return `<polyline points="${points}" fill="none" stroke="${colour}" stroke-width="1.6"/>`
  })
  const legend = lines.map(({ label, colour }, index) => {
    const at = WIDTH - RIGHT - (lines.length - 1 - index) * 160
    return `<text x="${at}" y="${top - 10}" text-anchor="end" fill="${colour}">${escapeText(label)}</text>`
  })
  const heading = `<text x="${LEFT}" y="${top - 10}" font-weight="600" fill="#374151">${escapeText(title)}</text>`
  const ends = [rows[0], rows.at(-1)].map((row, index) => {
    const at = index === 0 ? LEFT : WIDTH - RIGHT
    return `<text x="${at}" y="${bottom + 16}" text-anchor="${index === 0 ? 'start' : 'end'}" fill="#6b7280">block ${row?.height ?? ''}</text>`
  })
  return [heading, ...legend, ...grid, ...curves, ...ends].join('\n')
}

function formatTick(value: number): string {
  return value >= 10 || Number.isInteger(value) ? value.toFixed(0) : value.toFixed(2)
}

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`)
}
